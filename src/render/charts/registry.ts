import { createHash } from 'node:crypto';
import { ArgosyError } from '../../core/errors/index.ts';
import { at, isArray, isObject, type Json, stringAt } from '../../core/json/index.ts';
import type { Downloaded } from './download.ts';
import type { ChartCall, ChartPlace } from './place.ts';

const chartLayer = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const manifestTypes = 'application/vnd.oci.image.manifest.v1+json';
const maxPages = 20;

/** The tags of a chart in an OCI registry, `_` read as `+`. */
export async function registryVersions(call: ChartCall, place: ChartPlace): Promise<string[]> {
  const versions: string[] = [];
  let next: string | undefined = `/v2/${nameOf(place)}/tags/list`;
  for (let page = 0; next !== undefined && page < maxPages; page += 1) {
    const answer: Downloaded = await authorized(call, place, next, 'application/json');
    const tags = at(jsonOf(answer), 'tags');
    if (isArray(tags))
      versions.push(...tags.filter((tag) => typeof tag === 'string').map((tag) => tag.replaceAll('_', '+')));
    next = /<([^>]+)>;\s*rel="?next/.exec(String(answer.headers['link'] ?? ''))?.[1];
  }
  return versions;
}

/** The archive of a chart in an OCI registry; what comes must have the digest that the manifest names. */
export async function registryArchive(call: ChartCall, place: ChartPlace, version: string): Promise<Buffer> {
  const tag = encodeURIComponent(version.replaceAll('+', '_'));
  const manifest = jsonOf(await authorized(call, place, `/v2/${nameOf(place)}/manifests/${tag}`, manifestTypes));
  const layers = at(manifest, 'layers');
  const layer = isArray(layers)
    ? layers.filter(isObject).find((each) => stringAt(each, 'mediaType') === chartLayer)
    : undefined;
  const digest = layer === undefined ? undefined : stringAt(layer, 'digest');
  if (digest === undefined || !/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new ArgosyError('render-failed', 'what the registry holds is no chart', { subject: place.chart });
  const { body } = await authorized(call, place, `/v2/${nameOf(place)}/blobs/${digest}`, '*/*');
  if (`sha256:${createHash('sha256').update(body).digest('hex')}` !== digest)
    throw new ArgosyError('render-failed', 'what the registry sent is not what it names', { subject: place.chart });
  return body;
}

/** `oci://host/path` or `host/path`, and the chart below it. */
function nameOf({ url, chart }: ChartPlace): string {
  const path = url.pathname.replace(/^\/|\/$/g, '');
  return (path === '' ? chart : `${path}/${chart}`).split('/').map(encodeURIComponent).join('/');
}

/** Asks with the credential, and again with a token if the registry names who gives one. */
async function authorized(call: ChartCall, place: ChartPlace, path: string, accept: string): Promise<Downloaded> {
  const url = URL.canParse(path, place.url.origin) ? new URL(path, place.url.origin) : undefined;
  if (url?.origin !== place.url.origin)
    throw new ArgosyError('render-refused', 'the registry points elsewhere', { subject: place.url.host });
  const first = await call(url, { accept, ...place.authorization });
  if (first.status === 200) return first;
  const challenge = String(first.headers['www-authenticate'] ?? '');
  const realm = /^Bearer .*realm="([^"]+)"/i.exec(challenge)?.[1];
  if (first.status !== 401 || realm === undefined || !URL.canParse(realm)) throw refusal(first.status, place);
  const token = await tokenOf(call, place, new URL(realm), challenge);
  const second = await call(url, { accept, authorization: `Bearer ${token}` });
  if (second.status !== 200) throw refusal(second.status, place);
  return second;
}

async function tokenOf(call: ChartCall, place: ChartPlace, realm: URL, challenge: string): Promise<string> {
  for (const name of ['service', 'scope']) {
    const value = new RegExp(`${name}="([^"]+)"`, 'i').exec(challenge)?.[1];
    if (value !== undefined) realm.searchParams.set(name, value);
  }
  // The credential is the registry's: a realm of another host gets none of it.
  const mine = realm.hostname === place.url.hostname ? place.authorization : {};
  const answer = jsonOf(await call(realm, { accept: 'application/json', ...mine }));
  const token = isObject(answer) ? (stringAt(answer, 'token') ?? stringAt(answer, 'access_token')) : undefined;
  if (token === undefined) throw refusal(401, place);
  return token;
}

function jsonOf({ body }: Downloaded): Json {
  try {
    return JSON.parse(body.toString('utf8')) as Json; // JSON, by its name
  } catch {
    throw new ArgosyError('render-failed', 'the answer of the registry cannot be read', { fault: 'outside' });
  }
}

function refusal(status: number, { url, chart }: ChartPlace): ArgosyError {
  const denied = status === 401 || status === 403;
  return new ArgosyError('render-failed', `the registry answers ${status}`, {
    subject: `${url.host} ${chart}`,
    status,
    ...(denied ? { fault: 'denied' } : { fault: status >= 500 ? 'outside' : 'user' }),
  });
}
