import { configMapData, readParams } from '../core/api/index.ts';
import { isArgosyError } from '../core/errors/index.ts';
import { asJson } from '../core/objects/index.ts';
import type { Installation } from '../core/policy/index.ts';
import { type AccessReview, configMaps, type Reader } from '../kube/index.ts';
import { planWatches } from '../settings/index.ts';

/** Whether the account may do what the list of namespaces asks of it. */
export interface NamespaceRights {
  /** Why it must not start: one sentence with what to grant. */
  readonly refusal: string | undefined;
  /** Namespaces that will not count until something is granted, or could not be asked about. */
  readonly warnings: readonly string[];
}

const askMs = 15_000;

/**
 * Asks the cluster whether the account may read Applications wherever the installation is told to. One without any right
 * outside its own namespace refuses to start: it would be silent about every tenant. Where only some namespaces are not
 * granted yet, the others go on.
 */
export async function namespaceRights(
  reader: Pick<Reader, 'get' | 'mayI'>,
  installation: Installation,
): Promise<NamespaceRights> {
  const patterns = installation.appNamespaces ?? (await writtenNamespaces(reader, installation.controlPlane));
  const plan = planWatches(patterns, installation.controlPlane);
  if (plan.everywhere) {
    const may = await mayRead(reader, undefined);
    if (may === undefined) return { refusal: undefined, warnings: [unasked] };
    return { refusal: may ? undefined : refusedPattern(patterns, installation), warnings: [] };
  }
  const answers = await Promise.all(
    plan.namespaces.map(async (namespace) => ({ namespace, may: await mayRead(reader, namespace) })),
  );
  const denied = answers.filter(({ may }) => may === false).map(({ namespace }) => namespace);
  const warnings = answers.some(({ may }) => may === undefined) ? [unasked] : [];
  if (denied.length === 0) return { refusal: undefined, warnings };
  const sentence = refusedNames(denied, installation);
  if (denied.length === answers.length) return { refusal: sentence, warnings };
  return { refusal: undefined, warnings: [...warnings, sentence] };
}

const unasked = 'it could not be asked whether the account may read Applications in the namespaces that are given';

/** What `argocd-cmd-params-cm` says, where no flag does. */
async function writtenNamespaces(reader: Pick<Reader, 'get'>, namespace: string): Promise<readonly string[]> {
  try {
    const object = await reader.get(configMaps, namespace, 'argocd-cmd-params-cm', { deadlineMs: askMs });
    return readParams(configMapData(asJson(object))).value.applicationNamespaces;
  } catch (error) {
    // Not there, or not readable now: the settings read it again and say so.
    if (isArgosyError(error)) return [];
    throw error;
  }
}

/** Undefined where there is no answer. */
async function mayRead(reader: Pick<Reader, 'mayI'>, namespace: string | undefined): Promise<boolean | undefined> {
  const review = (verb: string): AccessReview => ({
    group: 'argoproj.io',
    resource: 'applications',
    verb,
    ...(namespace === undefined ? {} : { namespace }),
  });
  try {
    const answers = await Promise.all(
      ['list', 'watch', 'patch'].map((verb) => reader.mayI(review(verb), { deadlineMs: askMs })),
    );
    return answers.every((may) => may);
  } catch (error) {
    if (isArgosyError(error)) return undefined;
    throw error;
  }
}

function refusedPattern(patterns: readonly string[], installation: Installation): string {
  return `this installation may read Applications in its own namespace ${installation.controlPlane} only, but ${origin(installation)} has the pattern ${quoted(patterns)}: grant its account ${wanted(installation)} in all namespaces (deploy/base/cluster-wide does), or name the namespaces one by one and apply deploy/applications-here in each`;
}

function refusedNames(denied: readonly string[], installation: Installation): string {
  return `this installation may not read Applications in ${quoted(denied)}, which ${origin(installation)} names: grant its account ${wanted(installation)} there (deploy/applications-here does), or take the name out`;
}

function origin({ appNamespaces }: Installation): string {
  return appNamespaces === undefined ? 'application.namespaces of argocd-cmd-params-cm' : '--application-namespaces';
}

function wanted({ tenantClusters }: Installation): string {
  const applications = 'get, list, watch and patch on applications.argoproj.io';
  return tenantClusters === false ? applications : `${applications} and get, list and watch on secrets`;
}

function quoted(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => `'${name}'`);
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ');
}
