import { ArgosyError } from '../../core/errors/index.ts';
import { at, isArray, isObject, type Json, own, stringAt } from '../../core/json/index.ts';
import type { DocumentReader } from '../yaml/reader.ts';
import type { ChartCall, ChartPlace } from './place.ts';

/** The versions of a chart and where each archive lies, as the repository's index says. */
export type ChartIndex = ReadonlyMap<string, string>;

const maxVersions = 100_000;

/** Reads the index of a repository, beside the main loop: it may be large. */
export async function repositoryIndex(call: ChartCall, place: ChartPlace, reader: DocumentReader): Promise<ChartIndex> {
  const answer = await call(new URL('index.yaml', place.url), { accept: '*/*', ...place.authorization });
  if (answer.status !== 200) throw refusal(answer.status, place);
  const { documents } = await reader.output('the index of the repository', answer.body);
  const entries = at(documents[0]?.value ?? null, 'entries');
  const list = isObject(entries) ? own(entries, place.chart) : undefined;
  if (!isArray(list))
    throw new ArgosyError('render-failed', `the repository has no chart ${place.chart}`, { subject: place.url.host });
  if (list.length > maxVersions) throw new ArgosyError('render-limit', 'the index of the repository is too large');
  return new Map(list.flatMap(versionOf));
}

function versionOf(entry: Json): [string, string][] {
  if (!isObject(entry)) return [];
  const version = stringAt(entry, 'version');
  const urls = own(entry, 'urls');
  const url = isArray(urls) ? urls.find((each) => typeof each === 'string') : undefined;
  return version === undefined || typeof url !== 'string' ? [] : [[version, url]];
}

/** The archive of a version; the credential goes only to the repository itself unless the Application says otherwise. */
export async function repositoryArchive(call: ChartCall, place: ChartPlace, written: string): Promise<Buffer> {
  if (!URL.canParse(written, place.url.href)) throw refusal(404, place);
  const url = new URL(written, place.url);
  const mine = url.origin === place.url.origin || place.passCredentials ? place.authorization : {};
  const answer = await call(url, { accept: '*/*', ...mine });
  if (answer.status !== 200) throw refusal(answer.status, place);
  return answer.body;
}

function refusal(status: number, { url, chart }: ChartPlace): ArgosyError {
  const fault = status === 401 || status === 403 ? 'denied' : status >= 500 ? 'outside' : 'user';
  return new ArgosyError('render-failed', `the chart repository answers ${status}`, {
    subject: `${url.host} ${chart}`,
    status,
    fault,
  });
}
