import type { MutableJsonObject } from '../../core/json/index.ts';
import { bodyFormat, type Format, parseObject } from '../http/body.ts';
import type { Exchange } from '../http/exchange.ts';
import { StatusError } from '../ports.ts';
import { decodeObject, type FieldValidation } from '../registry/decode.ts';
import type { Served } from '../registry/served.ts';
import { createObject } from '../registry/write.ts';
import { badRequest, methodNotAllowed } from '../status.ts';
import { answerObject } from './answer.ts';
import type { Handler } from './handler.ts';
import { writeOptions } from './write-options.ts';

/** POST to a collection. */
export const create: Handler = async (exchange, served, cluster) => {
  if (exchange.info.name !== '') throw methodNotAllowed();
  if (served.custom?.accepting === false)
    throw new StatusError({
      code: 405,
      reason: 'MethodNotAllowed',
      message: `create not allowed while custom resource definition is terminating`,
      details: {},
    });
  const options = writeOptions(exchange.info.query, 'CreateOptions', exchange.header('user-agent') ?? '');
  const object = await readObject(exchange, served, options.validation);
  const { info, user } = exchange;
  const { dryRun, manager } = options;
  const created = await createObject(cluster, served, object, { info, user, dryRun, manager });
  if (served.custom?.deprecation !== undefined) exchange.warn(served.custom.deprecation);
  answerObject(exchange, served, 201, created);
};

/** The object in a request's body; throws 400 or 415. */
export async function readObject(
  exchange: Exchange,
  served: Served,
  validation: FieldValidation,
): Promise<MutableJsonObject> {
  const format = bodyFormat(exchange.header('content-type'));
  const bytes = await exchange.body();
  const body = parseBody(bytes, format, served);
  exchange.requestObject = body;
  return decodeObject(body, served, {
    validation,
    text: format === 'json' ? bytes.toString('utf8') : undefined,
    warn: (warning) => exchange.warn(warning),
  });
}

/** The real server shows the first bytes of what it could not read at the end of its sentence. */
function parseBody(bytes: Buffer, format: Format, served: Served): MutableJsonObject {
  const prefix = "couldn't get version/kind; json parse error: ";
  try {
    return parseObject(bytes, format, prefix);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const message = `the object provided is unrecognized (must be of type ${served.info.kind}): ${error.message} (${firstBytes(bytes)})`;
    throw badRequest(message);
  }
}

function firstBytes(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const text = bytes.subarray(0, 30).toString(bytes[0] === 0x7b ? 'utf8' : 'hex');
  return bytes.length > 30 ? `${text} ...` : text;
}
