import { isArray, isObject, type Json, type JsonObject, objectAt, own, stringAt } from '../json/index.ts';
import { parseApiVersion } from '../objects/index.ts';

/** What a tree says about its Application at a glance. */
export interface TreeSummary {
  readonly images?: readonly string[];
  readonly externalURLs?: readonly string[];
}

/** Puts together what the objects of a tree show: sorted, each once, empty lists left out as in Argo CD. */
export function summarize(parts: Iterable<{ images?: readonly string[]; urls?: readonly string[] }>): TreeSummary {
  const images = new Set<string>();
  const urls = new Set<string>();
  for (const part of parts) {
    for (const image of part.images ?? []) images.add(image);
    for (const url of part.urls ?? []) urls.add(url);
  }
  return {
    ...(images.size === 0 ? {} : { images: [...images].sort() }),
    ...(urls.size === 0 ? {} : { externalURLs: [...urls].sort() }),
  };
}

/** The images that a Pod runs. */
export function imagesOf(object: JsonObject): readonly string[] {
  if (stringAt(object, 'apiVersion') !== 'v1' || stringAt(object, 'kind') !== 'Pod') return [];
  const spec = objectAt(object, 'spec');
  const containers = [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')];
  return [...new Set(containers.flatMap((container) => stringAt(container, 'image') ?? []))];
}

const linkPrefix = 'link.argocd.argoproj.io/';
const withoutDefaults = 'argocd.argoproj.io/ignore-default-links';

/** Where people reach what an object serves: the addresses of an Ingress, and links in annotations. */
export function urlsOf(object: JsonObject): readonly string[] {
  const annotations = objectAt(object, 'metadata', 'annotations') ?? {};
  const links = Object.keys(annotations)
    .filter((name) => name.startsWith(linkPrefix))
    .flatMap((name) => linkUrl(stringAt(annotations, name) ?? ''));
  const own = stringAt(annotations, withoutDefaults) === 'true' ? [] : ingressUrls(object);
  return [...new Set([...own, ...links])].sort();
}

/** `title | address` or the address alone; only what a browser opens as a page: other schemes run code in the UI. */
function linkUrl(text: string): readonly string[] {
  const url = (text.includes('|') ? text.slice(text.indexOf('|') + 1) : text).trim();
  return /^https?:\/\/[^\s"'<>\\]+$/i.test(url) ? [url] : [];
}

function ingressUrls(object: JsonObject): readonly string[] {
  const { group } = parseApiVersion(stringAt(object, 'apiVersion') ?? '');
  const isIngress = (group === 'networking.k8s.io' || group === 'extensions') && stringAt(object, 'kind') === 'Ingress';
  if (!isIngress) return [];
  const spec = objectAt(object, 'spec');
  const balancers = listAt(objectAt(object, 'status', 'loadBalancer'), 'ingress').flatMap(
    (each) => stringAt(each, 'hostname') ?? stringAt(each, 'ip') ?? [],
  );
  return listAt(spec, 'rules').flatMap((rule) => {
    const named = stringAt(rule, 'host') ?? '';
    const hosts = named === '' ? balancers : [named];
    return hosts.flatMap((host) => pathsOf(rule).map((path) => `${schemeOf(spec, named)}://${host}${path}`));
  });
}

/** A star at the end is the way of some controllers to say "and all below". */
function pathsOf(rule: Json): readonly string[] {
  const paths = listAt(objectAt(rule, 'http'), 'paths').map((path) =>
    (stringAt(path, 'path') ?? '').replace(/\*$/, ''),
  );
  return paths.length === 0 ? [''] : paths;
}

function schemeOf(spec: JsonObject | undefined, host: string): 'http' | 'https' {
  const secured = listAt(spec, 'tls').some((tls) => {
    const hosts = listAt(isObject(tls) ? tls : undefined, 'hosts');
    return hosts.length === 0 || hosts.includes(host);
  });
  return secured ? 'https' : 'http';
}

/** A list under a key, empty where there is none. */
export function listAt(object: JsonObject | undefined, key: string): readonly Json[] {
  const found = own(object, key);
  return isArray(found) ? found : [];
}
