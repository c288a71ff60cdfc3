import { dirname } from 'node:path';
import { ArgosyError } from '../../../core/errors/index.ts';
import { isArray, isObject, type Json, type JsonObject, own } from '../../../core/json/index.ts';
import { type Assembled, assembleSnapshot, type Installation } from '../../../core/policy/index.ts';
import { parseDocuments, readObjects, readText } from '../../objects/read-files.ts';

/** What one case tries. */
export interface Try {
  /** `NAME` or `NAMESPACE/NAME` of an Application among the given objects. */
  readonly application?: string;
  /** `[GROUP/]KIND:[NAMESPACE/]NAME`: one object of that Application. */
  readonly object?: string;
  readonly clusterScoped?: boolean;
  /** `NAMESPACE/NAME` of a cluster Secret. */
  readonly secret?: string;
}

/** What must come of it; only what is written is compared. */
export interface Expectation {
  readonly verdict?: string;
  /** A part of the message. */
  readonly message?: string;
  /** The user impersonated, or `cluster`. */
  readonly identity?: string;
  /** `NAMESPACE/SECRET`, or the address, of the cluster. */
  readonly cluster?: string;
}

export interface Case {
  readonly name: string;
  readonly try: Try;
  readonly expect: Expectation;
}

/** A file of cases with the installation they are tried on. */
export interface CaseFile {
  readonly assembled: Assembled;
  readonly cases: readonly Case[];
}

const fields = {
  top: ['installation', 'given', 'objects', 'cases'],
  installation: ['controlPlane', 'applicationNamespaces', 'impersonation', 'clusterSecretsInAnyNamespace'],
  case: ['name', 'try', 'expect'],
  try: ['application', 'object', 'clusterScoped', 'secret'],
  expect: ['verdict', 'message', 'identity', 'cluster'],
};

/** Reads a file of cases; anything in it that is not understood is an error, for a case that is skipped proves nothing. */
export async function readCaseFile(file: string): Promise<CaseFile> {
  const documents = parseDocuments(await readText(file), file).filter((each) => each !== null && each !== undefined);
  const [top] = documents;
  if (documents.length !== 1 || !isObject(top)) throw wrong(file, 'must hold one document with given and cases');
  known(top, fields.top, file);
  const objects = [...(await givenObjects(top, file)), ...inlineObjects(top, file)];
  const cases = listOf(own(top, 'cases'), `${file}: cases`).map((each, i) => readCase(each, `${file}: cases[${i}]`));
  if (cases.length === 0) throw wrong(file, 'holds no cases');
  return { assembled: assembleSnapshot(objects, readInstallation(own(top, 'installation'), file)), cases };
}

function wrong(place: string, message: string): ArgosyError {
  return new ArgosyError('usage', `${place}: ${message}`);
}

function known(object: JsonObject, keys: readonly string[], place: string): void {
  const odd = Object.keys(object).find((key) => !keys.includes(key));
  if (odd !== undefined) throw wrong(place, `unknown key ${odd}; there are: ${keys.join(', ')}`);
}

function listOf(value: Json | undefined, place: string): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (!isArray(value)) throw wrong(place, 'must be a list');
  return value;
}

/** `given`: files and folders, relative to the file of cases. */
async function givenObjects(top: JsonObject, file: string): Promise<readonly JsonObject[]> {
  const paths = listOf(own(top, 'given'), `${file}: given`).map((path) => {
    if (typeof path !== 'string') throw wrong(`${file}: given`, 'must list paths');
    return path;
  });
  return paths.length === 0 ? [] : readObjects(paths, dirname(file));
}

/** `objects`: written in place. */
function inlineObjects(top: JsonObject, file: string): readonly JsonObject[] {
  return listOf(own(top, 'objects'), `${file}: objects`).map((object) => {
    if (!isObject(object)) throw wrong(`${file}: objects`, 'must list Kubernetes objects');
    return object;
  });
}

function readInstallation(value: Json | undefined, file: string): Installation {
  const place = `${file}: installation`;
  if (value === undefined || value === null) return { controlPlane: 'argocd' };
  if (!isObject(value)) throw wrong(place, 'must be an object');
  known(value, fields.installation, place);
  const namespaces = own(value, 'applicationNamespaces');
  const controlPlane = own(value, 'controlPlane') ?? 'argocd';
  if (typeof controlPlane !== 'string') throw wrong(place, 'controlPlane must be a string');
  return {
    controlPlane,
    ...(namespaces === undefined ? {} : { appNamespaces: listOf(namespaces, place).map(String) }),
    ...(own(value, 'impersonation') === true ? { impersonation: true } : {}),
    ...(own(value, 'clusterSecretsInAnyNamespace') === false ? { tenantClusters: false } : {}),
  };
}

function readCase(value: Json, place: string): Case {
  if (!isObject(value)) throw wrong(place, 'must be an object');
  known(value, fields.case, place);
  const attempt = own(value, 'try');
  const expect = own(value, 'expect');
  if (!isObject(attempt) || !isObject(expect)) throw wrong(place, 'needs try and expect');
  known(attempt, fields.try, `${place}.try`);
  known(expect, fields.expect, `${place}.expect`);
  texts(attempt, `${place}.try`);
  texts(expect, `${place}.expect`);
  if (Object.keys(expect).length === 0) throw wrong(`${place}.expect`, 'expects nothing');
  if (!Object.hasOwn(attempt, 'application') && !Object.hasOwn(attempt, 'secret'))
    throw wrong(`${place}.try`, 'needs application or secret');
  const name = own(value, 'name');
  return { name: typeof name === 'string' ? name : place, try: attempt as Try, expect: expect as Expectation }; // keys and types were checked
}

function texts(object: JsonObject, place: string): void {
  for (const [key, value] of Object.entries(object)) {
    const wanted = key === 'clusterScoped' ? 'boolean' : 'string';
    if (typeof value !== wanted) throw wrong(`${place}.${key}`, `must be a ${wanted}`);
  }
}
