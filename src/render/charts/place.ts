import { ArgosyError } from '../../core/errors/index.ts';
import type { Downloaded } from './download.ts';

/** Where a chart lies. */
export interface ChartPlace {
  readonly kind: 'repository' | 'registry';
  readonly url: URL;
  readonly chart: string;
  /** The header that logs in, or none. */
  readonly authorization: Readonly<Record<string, string>>;
  /** Whether the credential may follow a chart to another host. */
  readonly passCredentials: boolean;
}

/** Brings what lies at an address. */
export type ChartCall = (url: URL, headers: Readonly<Record<string, string>>) => Promise<Downloaded>;

/** A chart as an Application names it. */
export interface ChartRequest {
  readonly repoURL: string;
  readonly chart: string;
  /** A version or a constraint. */
  readonly version: string;
  readonly login?: { readonly username: string; readonly password: string } | undefined;
  readonly passCredentials?: boolean | undefined;
  /** Speak plain http to a registry (`insecureOCIForceHttp`); its host must be listed too. */
  readonly plainHttp?: boolean | undefined;
  /** Whose credential this is: what was brought is shared only within it. */
  readonly scope: string;
}

/** Reads the address: `https://…` is a repository with an index, `oci://…` or no scheme at all is a registry. */
export function placeOf({
  repoURL,
  chart,
  login,
  passCredentials = false,
  plainHttp = false,
}: ChartRequest): ChartPlace {
  // The name becomes part of an address.
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/.test(chart))
    throw new ArgosyError('render-refused', 'the name of the chart is not valid', { subject: chart.slice(0, 100) });
  const isRepository = /^https?:\/\//i.test(repoURL);
  const bare = repoURL.replace(/^oci:\/\//i, '').replace(/\/$/, '');
  const text = isRepository ? `${repoURL.replace(/\/$/, '')}/` : `${plainHttp ? 'http' : 'https'}://${bare}`;
  if (!URL.canParse(text) || (!isRepository && bare.includes('://')))
    throw new ArgosyError('render-refused', 'the address of the chart repository cannot be read', {
      subject: 'repoURL',
    });
  const basic = login === undefined ? undefined : Buffer.from(`${login.username}:${login.password}`).toString('base64');
  return {
    kind: isRepository ? 'repository' : 'registry',
    url: new URL(text),
    chart,
    authorization: basic === undefined ? {} : { authorization: `Basic ${basic}` },
    passCredentials,
  };
}
