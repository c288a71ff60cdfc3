import type { Socket } from 'node:net';
import { ArgosyError } from '../../core/errors/index.ts';

const maxHead = 16 * 1024;

/** Asks an HTTP proxy on the other end of the socket for a tunnel to the authority; the socket is then the far end's. */
export async function tunnel(socket: Socket, authority: string, proxy: URL): Promise<void> {
  const secret = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const auth = proxy.username === '' ? '' : `Proxy-Authorization: Basic ${Buffer.from(secret).toString('base64')}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${auth}\r\n`);
  const status = await readHead(socket);
  if (/^HTTP\/1\.[01] 2\d\d\b/.test(status)) return;
  const said = /^HTTP\/1\.[01] (\d{3})/.exec(status)?.[1] ?? 'no HTTP answer';
  throw new ArgosyError('kube-unreachable', `the proxy ${proxy.host} does not tunnel to ${authority}: ${said}`, {
    subject: authority,
  });
}

/** Reads up to the empty line that ends the proxy's answer; what came after it is given back to the socket. */
function readHead(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const done = (): void => {
      socket.off('data', onData);
      socket.off('error', reject);
      socket.off('close', onClose);
      socket.pause();
    };
    const onClose = (): void => reject(new Error('the proxy closed the connection'));
    const onData = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0 && head.length <= maxHead) return;
      done();
      if (end < 0) {
        reject(new Error('the proxy answers with too long a head'));
        return;
      }
      if (end + 4 < head.length) socket.unshift(head.subarray(end + 4));
      resolve(head.toString('latin1', 0, end));
    };
    socket.on('data', onData);
    socket.once('error', reject);
    socket.once('close', onClose);
  });
}
