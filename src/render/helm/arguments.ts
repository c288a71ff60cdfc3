import type { HelmParameter, HelmSource } from '../../core/api/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import type { BuildEnvironment } from '../build-environment.ts';
import type { RenderContext } from '../types.ts';

const releaseForm = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
// Helm makes a list of every index up to the one that is written.
const hugeIndex = /\[\s*\d{5,}\s*\]/;

/** The release name: what the Application says, else its own name without its namespace. */
export function releaseNameOf({ releaseName }: HelmSource, { appName }: RenderContext): string {
  const name =
    releaseName === undefined || releaseName === '' ? appName.slice(appName.lastIndexOf('_') + 1) : releaseName;
  if (!releaseForm.test(name))
    throw new ArgosyError('render-failed', 'the release name is not valid', { subject: name.slice(0, 100) });
  return name;
}

/** The flags that come from the Application and the cluster, without files. */
export function templateFlags(options: HelmSource, context: RenderContext, environment: BuildEnvironment): string[] {
  const kubeVersion = options.kubeVersion ?? context.kubeVersion;
  const namespace = options.namespace ?? context.namespace;
  const apiVersions = options.apiVersions ?? context.apiVersions;
  return [
    ...(namespace === '' ? [] : [`--namespace=${namespace}`]),
    ...(kubeVersion === '' ? [] : [`--kube-version=${plainVersion(kubeVersion)}`]),
    ...(options.parameters ?? []).map((parameter) => setFlag(parameter, environment)),
    ...apiVersions.map((each) => `--api-versions=${each}`),
    ...(options.skipCrds === true ? [] : ['--include-crds']),
    ...(options.skipSchemaValidation === true ? ['--skip-schema-validation'] : []),
    ...(options.skipTests === true ? ['--skip-tests'] : []),
    ...(options.passCredentials === true ? ['--pass-credentials'] : []),
  ];
}

function setFlag({ name = '', value = '', forceString }: HelmParameter, { substitute }: BuildEnvironment): string {
  checkName(name);
  return `--set${forceString === true ? '-string' : ''}=${name}=${cleanValue(substitute(value))}`;
}

/** The flag that reads a parameter from a file. Its name says where the value goes, and may not bring a file of its own. */
export function setFileFlag(name: string, path: string): string {
  checkName(name);
  if (name === '' || /[=,{}\p{Cc}]/u.test(name))
    throw new ArgosyError(
      'render-refused',
      'the name of a file parameter holds a character that Helm gives a meaning',
      {
        subject: 'fileParameters',
      },
    );
  return `--set-file=${name}=${cleanValue(path)}`;
}

/** The flag that names a value file. Helm reads the word as a line of CSV: without quotes a comma would begin another file. */
export function valuesFlag(place: string): string {
  if (/\p{Cc}/u.test(place))
    throw new ArgosyError('render-refused', 'the name of a value file holds a control character', {
      subject: 'valueFiles',
    });
  return `--values="${place.replaceAll('"', '""')}"`;
}

function checkName(name: string): void {
  if (hugeIndex.test(name))
    throw new ArgosyError('render-limit', 'a parameter names an index that is too large', { subject: 'parameters' });
}

/** Commas would begin the next parameter; those of a `{list}`, and those already escaped, are meant. */
function cleanValue(value: string): string {
  if (value.startsWith('{') && value.endsWith('}')) return value;
  return value.replace(/(\\*),/g, (_, slashes: string) => (slashes.length % 2 === 1 ? `${slashes},` : `${slashes}\\,`));
}

/** `v1.30.2` of `v1.30.2-gke.100+abc`. */
function plainVersion(version: string): string {
  return /^v?\d+(?:\.\d+){0,2}/.exec(version)?.[0] ?? version;
}
