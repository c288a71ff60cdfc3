import { entityTag } from '../discovery/documents.ts';
import type { Exchange } from '../http/exchange.ts';
import { methodNotAllowed } from '../status.ts';
import type { Parts } from './chain.ts';

/** What `/version` answers. */
export const version = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.3-argosy',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: 'embedded/any',
};

const health = new Set(['/healthz', '/livez', '/readyz']);

/** Answers what is no resource: discovery, OpenAPI, health, version; 404 for the rest. */
export function serveDocument(exchange: Exchange, parts: Parts): void {
  const { path, verb } = exchange.info;
  const known = find(exchange, parts);
  if (known === undefined) {
    exchange.sendText(404, '404 page not found\n', 'text/plain; charset=utf-8', {
      'x-content-type-options': 'nosniff',
    });
    return;
  }
  if (verb !== 'get' && verb !== 'head') throw methodNotAllowed();
  if (known === 'sent') return;
  if (typeof known === 'string') exchange.sendText(200, known, 'text/plain; charset=utf-8');
  else sendCacheable(exchange, known.text, known.type, path);
}

function find(exchange: Exchange, parts: Parts): string | { text: string; type: string } | undefined {
  const { path } = exchange.info;
  const json = (value: object): { text: string; type: string } => ({
    text: JSON.stringify(value),
    type: 'application/json',
  });
  if (path === '/version' || path === '/version/') return json(version);
  if (health.has(path.replace(/\/$/, '')) || /^\/(healthz|livez|readyz)\/ping$/.test(path)) return 'ok';
  if (path === '/.well-known/openid-configuration') return json(parts.access.issuerDocuments.configuration);
  if (path === '/openid/v1/jwks')
    return { ...json(parts.access.issuerDocuments.keys), type: 'application/jwk-set+json' };
  if (path === '/')
    return json({
      paths: ['/api', '/apis', '/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'],
    });
  if (path === '/openapi/v2' && (exchange.header('accept') ?? '').includes('proto-openapi')) {
    exchange.start(200, { 'content-type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' });
    exchange.response.end(openApiV2Frame());
    return 'sent';
  }
  if (path.startsWith('/openapi/')) {
    const document = parts.openapi.at(path, exchange.header('accept') ?? '');
    return document === undefined ? undefined : { text: JSON.stringify(document), type: 'application/json' };
  }
  const aggregated =
    /as=APIGroupDiscoveryList/.test(exchange.header('accept') ?? '') &&
    /v=v2(\b|,|;|$)/.test(exchange.header('accept') ?? '');
  const document = parts.discovery.at(path, aggregated);
  if (document === undefined) return undefined;
  const isAggregated = document['kind'] === 'APIGroupDiscoveryList';
  return {
    text: JSON.stringify(document),
    type: isAggregated ? 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' : 'application/json',
  };
}

/** An OpenAPI v2 document without types, as protobuf: old commands of kubectl read it before version 3. */
function openApiV2Frame(): Buffer {
  const text = (field: number, value: string | Buffer): Buffer => {
    const bytes = Buffer.from(value);
    return Buffer.concat([Buffer.from([(field << 3) | 2, bytes.length]), bytes]);
  };
  const info = Buffer.concat([text(1, 'Kubernetes'), text(2, version.gitVersion)]);
  return Buffer.concat([text(1, '2.0'), text(2, info)]);
}

function sendCacheable(exchange: Exchange, text: string, type: string, path: string): void {
  const tagged = path.startsWith('/api') || path.startsWith('/openapi');
  if (!tagged) {
    exchange.sendText(200, text, type);
    return;
  }
  const etag = entityTag(text);
  if (exchange.header('if-none-match') === etag) {
    exchange.start(304, { etag, vary: 'Accept' });
    exchange.response.end();
  } else exchange.sendText(200, text, type, { etag, vary: 'Accept' });
}
