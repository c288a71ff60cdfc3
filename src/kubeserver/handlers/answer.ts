import { asJson, type KubeObject } from '../../core/objects/index.ts';
import type { Exchange } from '../http/exchange.ts';
import { negotiate } from '../http/negotiate.ts';
import { tableOf } from '../printers/table.ts';
import type { Served } from '../registry/served.ts';
import { partial } from './partial.ts';
import { textOf } from './serialize.ts';

/** Answers with one object in the shape the client asked for. */
export function answerObject(exchange: Exchange, served: Served, code: number, object: KubeObject): void {
  const wanted = negotiate(exchange.header('accept'), served.custom !== undefined);
  exchange.responseObject = asJson(object);
  if (wanted.as === 'Table') {
    const include = exchange.info.query.get('includeObject') ?? 'Metadata';
    exchange.send(
      code,
      tableOf([object], served, include, { resourceVersion: object.metadata.resourceVersion ?? '' }),
      wanted.format,
    );
  } else if (wanted.as === 'PartialObjectMetadata') exchange.send(code, asJson(partial(object)), wanted.format);
  else exchange.send(code, textOf(object), wanted.format);
}
