import { type Json, type JsonObject, own } from '../json/index.ts';
import { Notes } from './decode.ts';
import { metadata, type NamedMeta, objectOf } from './meta.ts';
import { type Operation, operation } from './operation.ts';
import type { Parsed } from './parsed.ts';
import type { ApplicationSource } from './source.ts';
import { type ApplicationSpec, applicationSpec } from './spec.ts';
import { type ApplicationStatus, applicationStatus } from './status.ts';

/** An Application as a tenant wrote it and a controller annotated it. */
export interface Application {
  readonly metadata: NamedMeta;
  readonly spec: ApplicationSpec;
  readonly operation?: Operation;
  readonly status?: ApplicationStatus;
  /** The whole object as it was read, unknown and unreadable fields included. */
  readonly raw: JsonObject;
}

/**
 * Reads an Application. A spec with a field of the wrong type is refused, for guessing what a tenant meant would deploy
 * it; unreadable parts of `status` and `operation`, which anybody may forge, are left out with a warning.
 */
export function parseApplication(json: Json): Parsed<Application> {
  const notes = new Notes();
  const raw = objectOf(json, 'argoproj.io', 'Application', notes);
  if (raw === undefined) return { ok: false, problems: notes.problems };
  const meta = metadata(own(raw, 'metadata') ?? null, 'metadata', notes);
  const spec = applicationSpec(own(raw, 'spec') ?? null, 'spec', notes);
  if (meta === undefined || spec === undefined || notes.problems.length > 0) {
    return { ok: false, problems: notes.problems };
  }
  const warnings = new Notes();
  const asked = parsePart(raw, 'operation', (value) => whole(value, warnings));
  const status = parsePart(raw, 'status', (value) => applicationStatus(value, 'status', warnings));
  const value: Application = { metadata: meta, spec, ...asked, ...status, raw };
  return warnings.problems.length === 0 ? { ok: true, value } : { ok: true, value, warnings: warnings.problems };
}

function parsePart<K extends string, T>(
  raw: JsonObject,
  key: K,
  read: (value: Json) => T | undefined,
): { readonly [P in K]?: T } {
  const given = own(raw, key);
  const value = given === undefined || given === null ? undefined : read(given);
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: T }); // the key is K by construction
}

/** An operation with an unreadable field is none at all: half of one could sync or prune what was not asked for. */
function whole(value: Json, warnings: Notes): Operation | undefined {
  const before = warnings.problems.length;
  const read = operation(value, 'operation', warnings);
  return warnings.problems.length === before ? read : undefined;
}

/** The Application as JSON, every field as it was read. Changes are sent as patches, never by printing. */
export function printApplication(app: Application): JsonObject {
  return app.raw;
}

/** The namespace an Application lives in; an object without one is in the control plane's. */
export function namespaceOfApplication(app: Application, controlPlane: string): string {
  const namespace = app.metadata.namespace ?? '';
  return namespace === '' ? controlPlane : namespace;
}

/** The name of the project an Application asks for; an empty one means `default`. */
export function projectOf(app: Application): string {
  const project = app.spec.project ?? '';
  return project === '' ? 'default' : project;
}

/** Name for people and RBAC: `namespace/name`, the bare name in the control-plane namespace. */
export function qualifiedName(app: Application, controlPlane: string): string {
  return joined(app, controlPlane, '/');
}

/** Name in tracking ids: `namespace_name`, the bare name in the control-plane namespace. */
export function instanceName(app: Application, controlPlane: string): string {
  return joined(app, controlPlane, '_');
}

/** An Application's `namespace/name` from its name in tracking ids; a name alone is one of the control plane's. */
export function keyOfInstance(instance: string, controlPlane: string): string {
  const line = instance.indexOf('_');
  return line < 0 ? `${controlPlane}/${instance}` : `${instance.slice(0, line)}/${instance.slice(line + 1)}`;
}

function joined(app: Application, controlPlane: string, separator: string): string {
  const namespace = namespaceOfApplication(app, controlPlane);
  return namespace === controlPlane ? app.metadata.name : `${namespace}${separator}${app.metadata.name}`;
}

/** True where the Application is written as multi-source; a list of one already counts. */
export function isMultiSource(app: Application): boolean {
  return app.spec.sourceHydrator === undefined && (app.spec.sources?.length ?? 0) > 0;
}

/** The sources that manifests come from: the hydrator's sync source, else `sources`, else `source`. */
export function sourcesOf(app: Application): readonly ApplicationSource[] {
  const { source, sources, sourceHydrator } = app.spec;
  if (sourceHydrator !== undefined) return [syncSourceOf(sourceHydrator)];
  if (sources !== undefined && sources.length > 0) return sources;
  return source === undefined ? [] : [source];
}

function syncSourceOf(hydrator: Exclude<ApplicationSpec['sourceHydrator'], undefined>): ApplicationSource {
  const { drySource, syncSource } = hydrator;
  const repoURL = syncSource?.repoURL ?? '';
  return {
    repoURL: repoURL === '' ? (drySource?.repoURL ?? '') : repoURL,
    targetRevision: syncSource?.targetBranch ?? '',
    path: syncSource?.path ?? '',
  };
}
