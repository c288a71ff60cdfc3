import { at, isArray, isObject, type Json, objectAt, stringAt } from '../../core/json/index.ts';
import type { MovedRef, Provider, PushEvent } from './event.ts';

/** Reads a payload; `undefined` where it is no push we know. Every field may be missing or of any type. */
export type PayloadReader = (payload: Json) => PushEvent | undefined;

const maxFiles = 10_000;
const maxRefs = 1_000;
const maxText = 2048;

/** One reader per provider. */
export const readers: Readonly<Record<Provider, PayloadReader>> = {
  github: (payload) => readPush('github', payload, ['repository', 'html_url'], ['repository', 'default_branch']),
  gogs: (payload) => readPush('gogs', payload, ['repository', 'html_url'], ['repository', 'default_branch']),
  gitlab: (payload) => readPush('gitlab', payload, ['project', 'web_url'], ['project', 'default_branch']),
  bitbucket: readBitbucket,
  bitbucketserver: readBitbucketServer,
  azuredevops: readAzure,
};

function readPush(provider: Provider, payload: Json, address: string[], branch: string[]): PushEvent | undefined {
  const ref = text(payload, 'ref');
  const urls = texts([text(payload, ...address)]);
  if (ref === undefined || urls.length === 0) return undefined;
  const main = text(payload, ...branch);
  const refs = [{ ref, before: commit(payload, 'before'), after: commit(payload, 'after') }];
  return { provider, urls, refs, defaultBranchMoved: moved(refs, main), files: changedFiles(payload) };
}

function readBitbucket(payload: Json): PushEvent | undefined {
  const urls = texts([text(payload, 'repository', 'links', 'html', 'href')]);
  const refs = list(payload, 'push', 'changes').flatMap((change): MovedRef[] => {
    const side = objectAt(change, 'new') ?? objectAt(change, 'old');
    const name = text(side, 'name');
    const kind = text(side, 'type') === 'tag' ? 'tags' : 'heads';
    if (name === undefined) return [];
    const [before, after] = [commit(change, 'old', 'target', 'hash'), commit(change, 'new', 'target', 'hash')];
    return [{ ref: `refs/${kind}/${name}`, before, after }];
  });
  if (urls.length === 0 || refs.length === 0) return undefined;
  return { provider: 'bitbucket', urls, refs, defaultBranchMoved: true, files: undefined };
}

function readBitbucketServer(payload: Json): PushEvent | undefined {
  const urls = texts(list(payload, 'repository', 'links', 'clone').map((link) => text(link, 'href')));
  const refs = list(payload, 'changes').flatMap((change): MovedRef[] => {
    const ref = text(change, 'ref', 'id') ?? text(change, 'refId');
    return ref === undefined ? [] : [{ ref, before: commit(change, 'fromHash'), after: commit(change, 'toHash') }];
  });
  if (urls.length === 0 || refs.length === 0) return undefined;
  return { provider: 'bitbucketserver', urls, refs, defaultBranchMoved: true, files: undefined };
}

function readAzure(payload: Json): PushEvent | undefined {
  if (text(payload, 'eventType') !== 'git.push') return undefined;
  const urls = texts([text(payload, 'resource', 'repository', 'remoteUrl')]);
  const refs = list(payload, 'resource', 'refUpdates').flatMap((update): MovedRef[] => {
    const ref = text(update, 'name');
    return ref === undefined
      ? []
      : [{ ref, before: commit(update, 'oldObjectId'), after: commit(update, 'newObjectId') }];
  });
  if (urls.length === 0 || refs.length === 0) return undefined;
  const main = text(payload, 'resource', 'repository', 'defaultBranch');
  return { provider: 'azuredevops', urls, refs, defaultBranchMoved: moved(refs, main), files: undefined };
}

/** Where the sender does not name its default branch, any branch may be it. */
function moved(refs: readonly MovedRef[], main: string | undefined): boolean {
  return main === undefined || refs.some(({ ref }) => ref === main || ref === `refs/heads/${main}`);
}

/** The files of all commits; `undefined` (anything may have changed) where the list is missing or too long to trust. */
function changedFiles(payload: Json): string[] | undefined {
  const commits = at(payload, 'commits');
  if (!isArray(commits) || commits.length === 0) return undefined;
  const files = new Set<string>();
  for (const one of commits) {
    const named = ['added', 'modified', 'removed'].map((key) => at(one, key));
    if (!isObject(one) || named.some((names) => names !== undefined && names !== null && !isArray(names)))
      return undefined;
    for (const name of named.flatMap((names) => (isArray(names) ? names : []))) {
      if (typeof name !== 'string' || files.size >= maxFiles) return undefined;
      files.add(name);
    }
  }
  return [...files];
}

function text(value: Json | undefined, ...path: string[]): string | undefined {
  const found = stringAt(value, ...path);
  return found !== undefined && found !== '' && found.length <= maxText ? found : undefined;
}

function commit(value: Json | undefined, ...path: string[]): string | undefined {
  const id = text(value, ...path);
  return id !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id) && !/^0+$/.test(id) ? id : undefined;
}

function list(value: Json | undefined, ...path: string[]): readonly Json[] {
  const found = at(value, ...path);
  return isArray(found) ? found.slice(0, maxRefs) : [];
}

function texts(values: readonly (string | undefined)[]): string[] {
  return values.filter((value) => value !== undefined);
}
