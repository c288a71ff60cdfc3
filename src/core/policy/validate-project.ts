import type { AppProject, DestinationServiceAccount, ProjectRole, SyncWindow } from '../api/index.ts';
import { parseDuration } from '../api/index.ts';
import { parseCron } from './cron.ts';
import { matcherOf } from './matcher.ts';
import { validatePolicies } from './validate-policy.ts';

/** What the API answers for a project that breaks a rule. */
export interface ProjectProblem {
  readonly path: string;
  readonly code: 'InvalidArgument' | 'AlreadyExists' | 'OutOfRange';
  readonly message: string;
}

type Report = (path: string, message: string, code?: ProjectProblem['code']) => void;

/** Everything about a project that its API refuses, in the order of the reference; the first is what the caller answers. */
export function validateProject(project: AppProject): readonly ProjectProblem[] {
  const problems: ProjectProblem[] = [];
  const report: Report = (path, message, code = 'InvalidArgument') => problems.push({ path, code, message });
  const { spec } = project;
  validateDestinations(spec.destinations ?? [], report);
  validateUnique(
    spec.sourceNamespaces ?? [],
    { path: 'spec.sourceNamespaces', text: (name) => `source namespace '${name}' already added` },
    report,
  );
  validateSources(spec.sourceRepos ?? [], report);
  validateRoles(project.metadata.name, spec.roles ?? [], report);
  validateWindows(spec.syncWindows ?? [], report);
  validateAccounts(spec.destinationServiceAccounts ?? [], report);
  if ((spec.description?.length ?? 0) > 255) report('spec.description', 'description is longer than 255 characters');
  return problems;
}

function validateDestinations(entries: AppProject['spec']['destinations'] & object, report: Report): void {
  for (const [i, entry] of entries.entries()) {
    for (const field of ['name', 'server', 'namespace'] as const) {
      if (entry[field] === '!*') report(`spec.destinations[${i}].${field}`, `${field} has an invalid format, '!*'`);
    }
  }
  const keys = entries.map(
    ({ server = '', name = '', namespace = '' }) => `${server === '' ? name : server}/${namespace}`,
  );
  validateUnique(keys, { path: 'spec.destinations', text: (key) => `destination '${key}' already added` }, report);
}

function validateSources(entries: readonly string[], report: Report): void {
  for (const [i, entry] of entries.entries()) {
    if (entry === '!*') report(`spec.sourceRepos[${i}]`, `source repository has an invalid format, '!*'`);
  }
  validateUnique(
    entries,
    { path: 'spec.sourceRepos', text: (url) => `source repository '${url}' already added` },
    report,
  );
}

interface Twice {
  readonly path: string;
  readonly text: (key: string) => string;
  readonly code?: ProjectProblem['code'];
}

function validateUnique(keys: readonly string[], { path, text, code }: Twice, report: Report): void {
  const seen = new Set<string>();
  for (const [i, key] of keys.entries()) {
    if (seen.has(key)) report(`${path}[${i}]`, text(key), code);
    seen.add(key);
  }
}

function validateRoles(project: string, roles: readonly ProjectRole[], report: Report): void {
  validateUnique(
    roles.map(({ name }) => name),
    { path: 'spec.roles', text: (name) => `role '${name}' already exists`, code: 'AlreadyExists' },
    report,
  );
  for (const [i, role] of roles.entries()) {
    const path = `spec.roles[${i}]`;
    const { name, policies = [], groups = [] } = role;
    for (const problem of validatePolicies(project, role)) report(`${path}.${problem.path}`, problem.message);
    validateUnique(
      policies,
      {
        path: `${path}.policies`,
        text: (policy) => `policy '${policy}' already exists for role '${name}'`,
        code: 'AlreadyExists',
      },
      report,
    );
    validateUnique(
      groups,
      {
        path: `${path}.groups`,
        text: (group) => `group '${group}' already exists for role '${name}'`,
        code: 'AlreadyExists',
      },
      report,
    );
  }
}

function validateWindows(windows: readonly SyncWindow[], report: Report): void {
  for (const [i, window] of windows.entries()) validateWindow(window, `spec.syncWindows[${i}]`, report);
  const keys = windows.map((window) => windowKey(window));
  validateUnique(
    keys,
    { path: 'spec.syncWindows', text: (key) => `sync window with kind ${key} already exists`, code: 'AlreadyExists' },
    report,
  );
}

function validateWindow(window: SyncWindow, path: string, report: Report): void {
  const { kind = '', schedule = '', duration = '', applications = [], namespaces = [], clusters = [] } = window;
  if (applications.length + namespaces.length + clusters.length === 0) {
    report(
      path,
      `window '${kind}':'${schedule}':'${duration}' requires one of application, cluster or namespace`,
      'OutOfRange',
    );
  }
  if (kind !== 'allow' && kind !== 'deny') report(`${path}.kind`, `kind '${kind}' mismatch: can only be allow or deny`);
  if (parseCron(schedule) === undefined) report(`${path}.schedule`, `cannot parse schedule '${schedule}'`);
  const length = parseDuration(duration);
  if (length === undefined || length <= 0) report(`${path}.duration`, `cannot parse duration '${duration}'`);
  if ((window.description?.length ?? 0) > 255)
    report(`${path}.description`, 'description is longer than 255 characters');
}

/** What makes two windows one; how they are described and what they forgive does not count. */
function windowKey(window: SyncWindow): string {
  const { kind = '', schedule = '', duration = '', applications = [], namespaces = [], clusters = [] } = window;
  const { timeZone = '', andOperator = false } = window;
  return JSON.stringify([
    kind,
    schedule,
    duration,
    applications,
    namespaces,
    clusters,
    timeZone === '' ? 'UTC' : timeZone,
    andOperator,
  ]);
}

/** Characters no account may hold. */
const forbidden = /[!*[\]{}\\/]/;
/** Our stricter shape: an optional namespace, one colon at most, a DNS name. */
const accountShape = /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?:)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

function validateAccounts(entries: readonly DestinationServiceAccount[], report: Report): void {
  for (const [i, { server, namespace = '', defaultServiceAccount: account }] of entries.entries()) {
    const path = `spec.destinationServiceAccounts[${i}]`;
    if (server.includes('!') || matcherOf(server) === undefined)
      report(`${path}.server`, `server has an invalid format, '${server}'`);
    if (namespace.includes('!') || matcherOf(namespace) === undefined)
      report(`${path}.namespace`, `namespace has an invalid format, '${namespace}'`);
    if (account.trim() === '' || forbidden.test(account) || !accountShape.test(account)) {
      report(`${path}.defaultServiceAccount`, `defaultServiceAccount has an invalid format, '${account}'`);
    }
  }
  const keys = entries.map(({ server, namespace = '' }) => `${server}/${namespace}`);
  validateUnique(
    keys,
    { path: 'spec.destinationServiceAccounts', text: (key) => `destinationServiceAccount '${key}' already added` },
    report,
  );
}
