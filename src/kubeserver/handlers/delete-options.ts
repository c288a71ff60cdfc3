import { isObject, type Json, type MutableJsonObject, own, stringAt } from '../../core/json/index.ts';
import { bodyFormat, parseObject } from '../http/body.ts';
import type { Exchange } from '../http/exchange.ts';
import { printed } from '../printed.ts';
import { resolveBuiltin } from '../registry/builtins.ts';
import { decodeTyped } from '../registry/typed.ts';
import { badRequest, type Cause, invalid } from '../status.ts';

const optionsType = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';

export type Propagation = 'Foreground' | 'Background' | 'Orphan';

/** How something is to be deleted. */
export interface DeleteOptions {
  readonly propagation: Propagation | undefined;
  readonly gracePeriod: number | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly dryRun: boolean;
}

/** Reads DeleteOptions from the body, or from the query where there is none; throws 400 or 422. */
export async function readDeleteOptions(exchange: Exchange): Promise<DeleteOptions> {
  const bytes = await exchange.body();
  const body =
    bytes.length === 0
      ? fromQuery(exchange.info.query)
      : parseObject(
          bytes,
          bodyFormat(exchange.header('content-type')),
          "couldn't get version/kind; json parse error: ",
        );
  if (bytes.length > 0) exchange.requestObject = body;
  const { problem } = decodeTyped(body, resolveBuiltin(optionsType) ?? {}, resolveBuiltin, optionsType);
  if (problem !== undefined) throw badRequest(problem);
  const causes = problems(body);
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', causes);
  const grace = own(body, 'gracePeriodSeconds');
  const dry = own(body, 'dryRun');
  return {
    propagation: (own(body, 'propagationPolicy') ?? orphanPolicy(body)) as Propagation | undefined, // checked above
    gracePeriod: typeof grace === 'number' ? grace : undefined,
    uid: stringAt(body, 'preconditions', 'uid'),
    resourceVersion: stringAt(body, 'preconditions', 'resourceVersion'),
    dryRun: Array.isArray(dry) && dry.length > 0,
  };
}

function orphanPolicy(body: Json): Propagation | undefined {
  const orphan = own(body, 'orphanDependents');
  return typeof orphan === 'boolean' ? (orphan ? 'Orphan' : 'Background') : undefined;
}

function fromQuery(query: URLSearchParams): MutableJsonObject {
  const body: MutableJsonObject = {};
  const policy = query.get('propagationPolicy');
  if (policy !== null) body['propagationPolicy'] = policy;
  const grace = query.get('gracePeriodSeconds');
  if (grace !== null && /^-?\d+$/.test(grace)) body['gracePeriodSeconds'] = Number(grace);
  const dry = query.getAll('dryRun');
  if (dry.length > 0) body['dryRun'] = dry;
  const orphan = query.get('orphanDependents');
  if (orphan !== null) body['orphanDependents'] = orphan === 'true';
  return body;
}

function problems(body: Json): Cause[] {
  const causes: Cause[] = [];
  const policy = own(body, 'propagationPolicy');
  if (policy !== undefined && policy !== null && !['Foreground', 'Background', 'Orphan'].includes(printed(policy)))
    causes.push({
      field: 'propagationPolicy',
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
    });
  if (policy !== undefined && isObject(body) && own(body, 'orphanDependents') !== undefined)
    causes.push({
      field: 'propagationPolicy',
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`,
    });
  const dry = own(body, 'dryRun');
  if (Array.isArray(dry) && dry.some((value) => value !== 'All'))
    causes.push({
      field: 'dryRun',
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(dry)}: supported values: "All"`,
    });
  return causes;
}
