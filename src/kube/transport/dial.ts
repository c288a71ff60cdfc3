import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, getCACertificates, type TLSSocket } from 'node:tls';
import { ArgosyError } from '../../core/errors/index.ts';
import { fromNetwork, markUnprocessed } from '../errors/network.ts';
import { tunnel } from './tunnel.ts';

/** Says why an address must not be connected to, or nothing if it may. It sees the address that is really dialled. */
export type AddressGuard = (host: string, port: number, address: string) => string | undefined;

/** Where and how to connect. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly proxy?: URL | undefined;
  readonly guard?: AddressGuard | undefined;
  readonly connectMs: number;
  readonly tls: () => TlsParts;
}

/** The parts of TLS that a credential decides; asked for at every dial, since certificates rotate. */
export interface TlsParts {
  readonly ca?: Buffer | (Buffer | string)[] | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
  readonly insecure: boolean;
  readonly serverName?: string | undefined;
}

/** The socket a dialling has got so far; whoever gives up destroys it, and nothing is opened after that. */
class Opening {
  #socket: Socket | undefined;
  #over = false;

  hold<S extends Socket>(socket: S): S {
    this.#socket = socket;
    if (this.#over) socket.destroy();
    return socket;
  }

  giveUp(): void {
    this.#over = true;
    this.#socket?.destroy();
  }
}

/** Opens a connection to the endpoint, through its proxy if it has one; throws an ArgosyError before `connectMs` is over. */
export async function dial(endpoint: Endpoint, protocols: readonly string[]): Promise<Socket | TLSSocket> {
  const subject = `${endpoint.host}:${endpoint.port}`;
  const opening = new Opening();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const text = `${subject}: no connection within ${endpoint.connectMs} ms`;
    timer = setTimeout(() => reject(new ArgosyError('kube-timeout', text, { subject })), endpoint.connectMs);
  });
  try {
    return await Promise.race([dialSteps(endpoint, protocols, opening), late]);
  } catch (error) {
    opening.giveUp();
    throw markUnprocessed(fromNetwork(error, subject));
  } finally {
    clearTimeout(timer);
  }
}

async function dialSteps(
  endpoint: Endpoint,
  protocols: readonly string[],
  opening: Opening,
): Promise<Socket | TLSSocket> {
  const socket = await (endpoint.proxy === undefined
    ? tcp(endpoint, endpoint.host, endpoint.port, opening)
    : throughProxy(endpoint, endpoint.proxy, opening));
  return endpoint.secure ? secure(socket, opening, { host: endpoint.host, protocols, tls: endpoint.tls() }) : socket;
}

async function throughProxy(endpoint: Endpoint, proxy: URL, opening: Opening): Promise<Socket> {
  // A name is looked up by the proxy; an address can be checked here.
  if (isIP(endpoint.host) !== 0) checkAddress(endpoint, endpoint.host, endpoint.port, endpoint.host);
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const plain = await tcp(endpoint, host, proxyPort(proxy), opening);
  const socket =
    proxy.protocol === 'https:'
      ? await secure(plain, opening, { host, protocols: ['http/1.1'], tls: proxyTls(endpoint) })
      : plain;
  await tunnel(socket, `${bracketed(endpoint.host)}:${endpoint.port}`, proxy);
  return socket;
}

/** A proxy is vouched for by the public authorities or by the cluster's; `insecure` speaks of the API server only. */
function proxyTls(endpoint: Endpoint): TlsParts {
  const { ca } = endpoint.tls();
  return { insecure: false, ca: ca === undefined ? undefined : [...getCACertificates('default'), ...[ca].flat()] };
}

function proxyPort(proxy: URL): number {
  return proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : Number(proxy.port);
}

/** IPv6 addresses stand in brackets wherever a port follows. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function checkAddress(endpoint: Endpoint, host: string, port: number, address: string): void {
  const refusal = endpoint.guard?.(host, port, address);
  if (refusal !== undefined)
    throw new ArgosyError('denied', `${host}:${port}: ${refusal}`, { subject: `${host}:${port}` });
}

/** Resolves once and dials exactly the address that was checked, so that a second answer of the name server changes nothing. */
async function tcp(endpoint: Endpoint, host: string, port: number, opening: Opening): Promise<Socket> {
  const addresses = isIP(host) === 0 ? (await lookup(host, { all: true })).map(({ address }) => address) : [host];
  let problem: unknown = new ArgosyError('kube-unreachable', `${host}: the name has no address`, { subject: host });
  for (const address of addresses) {
    try {
      checkAddress(endpoint, host, port, address);
      // One address that swallows everything must leave time for the next.
      return await tcpTo(address, port, endpoint.connectMs / addresses.length, opening);
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}

function tcpTo(address: string, port: number, waitMs: number, opening: Opening): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = opening.hold(connectTcp({ host: address, port, noDelay: true, keepAlive: true }));
    const timer = setTimeout(() => socket.destroy(new Error(`${address} does not answer`)), waitMs);
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      reject(new Error('the connection was closed'));
    });
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      socket.on('error', () => undefined); // until its owner listens, an error must not end the process
      resolve(socket);
    });
  });
}

function secure(
  socket: Socket,
  opening: Opening,
  { host, protocols, tls }: { host: string; protocols: readonly string[]; tls: TlsParts },
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const name = tls.serverName ?? host;
    const secured = opening.hold(
      connectTls({
        socket,
        host: name,
        ...(isIP(name) === 0 ? { servername: name } : {}), // RFC 6066 allows no addresses as server names
        ALPNProtocols: [...protocols],
        rejectUnauthorized: !tls.insecure,
        ...(tls.ca === undefined ? {} : { ca: tls.ca }),
        ...(tls.cert === undefined || tls.key === undefined ? {} : { cert: tls.cert, key: tls.key }),
        minVersion: 'TLSv1.2',
      }),
    );
    secured.once('error', reject);
    secured.once('close', () => reject(new Error('the connection was closed during the TLS handshake')));
    secured.once('secureConnect', () => {
      secured.off('error', reject);
      secured.on('error', () => undefined); // as above
      resolve(secured);
    });
  });
}
