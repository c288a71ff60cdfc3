import type { Access } from '../access/index.ts';
import { create } from '../handlers/create.ts';
import { remove, removeCollection } from '../handlers/delete.ts';
import { evict } from '../handlers/evict.ts';
import { get } from '../handlers/get.ts';
import type { Handler } from '../handlers/handler.ts';
import { list } from '../handlers/list.ts';
import { log } from '../handlers/log.ts';
import { patch } from '../handlers/patch.ts';
import { review } from '../handlers/review.ts';
import { scale } from '../handlers/scale.ts';
import { update } from '../handlers/update.ts';
import { watch } from '../handlers/watch.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RequestInfo } from '../ports.ts';
import type { Cluster } from '../registry/cluster.ts';
import type { Served } from '../registry/served.ts';
import { methodNotAllowed, noSuchResource } from '../status.ts';

const verbs: { readonly [verb: string]: Handler } = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

/** Hands a request for a resource to the handler of its verb; undefined: no such group or version. */
export async function serveResource(exchange: Exchange, cluster: Cluster, access: Access): Promise<boolean> {
  const { group, version, resource } = exchange.info;
  const served = cluster.registry.find(group, version, resource);
  if (served === undefined) {
    if (!cluster.registry.hasGroupVersion(group, version)) return false;
    throw noSuchResource();
  }
  checkScope(exchange, served);
  if (exchange.info.subresource !== '') await serveSubresource(exchange, served, cluster, access);
  else if (isReview(served)) await review(exchange, served, access);
  else await handlerOf(served.info.verbs, exchange.info.verb)(exchange, served, cluster);
  return true;
}

function isReview({ info }: Served): boolean {
  return info.group === 'authorization.k8s.io' || info.group === 'authentication.k8s.io';
}

function handlerOf(allowed: readonly string[], verb: string): Handler {
  const handler = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (handler === undefined || !allowed.includes(verb)) throw methodNotAllowed();
  return handler;
}

/** A namespace's own path names it as both; below another namespace it would pass with that one's rights. */
function isNamespaceItself({ storage }: Served['info'], { namespace, name }: RequestInfo): boolean {
  return storage === 'namespaces' && namespace === name;
}

/** The address must fit the scope of the kind. */
function checkScope({ info }: Exchange, { info: kind }: Served): void {
  if (info.name === '' && ['update', 'patch', 'delete'].includes(info.verb)) throw methodNotAllowed();
  const named = info.name !== '' && info.verb !== 'list' && info.verb !== 'watch' && info.verb !== 'deletecollection';
  if (kind.namespaced && info.namespace === '') {
    if (named) throw noSuchResource();
    if (info.verb === 'create' || info.verb === 'deletecollection') throw methodNotAllowed();
  }
  if (!kind.namespaced && info.namespace !== '' && !isNamespaceItself(kind, info)) throw noSuchResource();
}

async function serveSubresource(exchange: Exchange, served: Served, cluster: Cluster, access: Access): Promise<void> {
  const { subresource, verb } = exchange.info;
  const known = served.subresources.find(({ name }) => name === subresource);
  if (known === undefined) throw noSuchResource();
  if (!known.verbs.includes(verb)) throw methodNotAllowed();
  if (subresource === 'status' || subresource === 'finalize' || subresource === 'approval')
    return handlerOf(known.verbs, verb)(exchange, served, cluster);
  if (subresource === 'scale') return scale(exchange, served, cluster);
  if (subresource === 'log') return log(exchange, served, cluster);
  if (subresource === 'token') return review(exchange, served, access);
  if (subresource === 'eviction') return evict(exchange, served, cluster);
  throw noSuchResource();
}
