import type { Access } from '../access/index.ts';
import { bodyFormat, parseObject } from '../http/body.ts';
import type { Exchange } from '../http/exchange.ts';
import { negotiate } from '../http/negotiate.ts';
import type { Served } from '../registry/served.ts';
import { methodNotAllowed } from '../status.ts';

/** POST of an access review, a token review or a token request: answered by `access`, stored nowhere. */
export async function review(exchange: Exchange, served: Served, access: Access): Promise<void> {
  void served;
  if (exchange.info.verb !== 'create') throw methodNotAllowed();
  const format = bodyFormat(exchange.header('content-type'));
  const body = parseObject(await exchange.body(), format, "couldn't get version/kind; json parse error: ");
  exchange.requestObject = body;
  const answer = access.review(exchange.info, body, exchange.user);
  if (answer === undefined) throw methodNotAllowed();
  exchange.responseObject = answer;
  exchange.send(201, answer, negotiate(exchange.header('accept')).format);
}
