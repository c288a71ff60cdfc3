import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
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
  readonly ca?: Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
  readonly insecure: boolean;
  readonly serverName?: string | undefined;
}

/** Opens a connection to the endpoint, through its proxy if it has one; throws an ArgosyError before `connectMs` is over. */
export async function dial(endpoint: Endpoint, protocols: readonly string[]): Promise<Socket | TLSSocket> {
  const subject = `${endpoint.host}:${endpoint.port}`;
  const open: { socket?: Socket } = {};
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      open.socket?.destroy();
      reject(new ArgosyError('kube-timeout', `${subject}: no connection within ${endpoint.connectMs} ms`, { subject }));
    }, endpoint.connectMs);
  });
  try {
    return await Promise.race([dialSteps(endpoint, protocols, open), late]);
  } catch (error) {
    open.socket?.destroy();
    throw markUnprocessed(fromNetwork(error, subject));
  } finally {
    clearTimeout(timer);
  }
}

async function dialSteps(
  endpoint: Endpoint,
  protocols: readonly string[],
  open: { socket?: Socket },
): Promise<Socket | TLSSocket> {
  const proxy = endpoint.proxy;
  if (proxy !== undefined) {
    if (isIP(endpoint.host) !== 0) checkAddress(endpoint, endpoint.host, endpoint.port, endpoint.host);
    open.socket = await tcp(endpoint, proxy.hostname.replace(/^\[|\]$/g, ''), proxyPort(proxy));
    if (proxy.protocol === 'https:')
      open.socket = await secure(open.socket, proxy.hostname, ['http/1.1'], { insecure: false });
    await tunnel(open.socket, `${bracketed(endpoint.host)}:${endpoint.port}`, proxy);
  } else {
    open.socket = await tcp(endpoint, endpoint.host, endpoint.port);
  }
  if (endpoint.secure) open.socket = await secure(open.socket, endpoint.host, protocols, endpoint.tls());
  return open.socket;
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
async function tcp(endpoint: Endpoint, host: string, port: number): Promise<Socket> {
  const addresses = isIP(host) === 0 ? (await lookup(host, { all: true })).map(({ address }) => address) : [host];
  let problem: unknown = new ArgosyError('kube-unreachable', `${host}: the name has no address`, { subject: host });
  for (const address of addresses) {
    try {
      checkAddress(endpoint, host, port, address);
      return await tcpTo(address, port);
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}

function tcpTo(address: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host: address, port, noDelay: true, keepAlive: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

function secure(socket: Socket, host: string, protocols: readonly string[], tls: TlsParts): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const name = tls.serverName ?? host;
    const secured = connectTls({
      socket,
      host: name,
      ...(isIP(name) === 0 ? { servername: name } : {}), // RFC 6066 allows no addresses as server names
      ALPNProtocols: [...protocols],
      rejectUnauthorized: !tls.insecure,
      ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      ...(tls.cert === undefined || tls.key === undefined ? {} : { cert: tls.cert, key: tls.key }),
      minVersion: 'TLSv1.2',
    });
    secured.once('error', reject);
    secured.once('close', () => reject(new Error('the connection was closed during the TLS handshake')));
    secured.once('secureConnect', () => {
      secured.off('error', reject);
      resolve(secured);
    });
  });
}
