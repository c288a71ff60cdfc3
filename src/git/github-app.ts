import { createHash, createSign } from 'node:crypto';
import { Hidden } from '../core/api/index.ts';
import { ArgosyError } from '../core/errors/index.ts';
import { isObject, type Json, own, stringAt } from '../core/json/index.ts';
import { callHttp, type HttpParts, parseJson } from './http-call.ts';
import type { GithubAppLogin } from './login.ts';
import type { RepositoryUrl } from './url.ts';

/** Tokens of GitHub Apps, kept until shortly before they expire. */
export interface GithubApps {
  token(app: GithubAppLogin, url: RepositoryUrl): Promise<Hidden>;
}

/** What asking GitHub needs from outside. */
export interface GithubAppParts extends HttpParts {
  readonly now: () => number;
}

interface Ask {
  readonly method: 'GET' | 'POST';
  readonly api: string;
  readonly path: string;
  readonly jwt: string;
}

const maxAnswerBytes = 256 * 1024;
const answerMs = 15_000;
/** A token that expires within this time is not handed out any more: a long fetch must end before it does. */
const spareMs = 5 * 60_000;

/** Logs in as GitHub Apps; each installation's token is asked for once and shared. */
export function createGithubApps(parts: GithubAppParts): GithubApps {
  const tokens = new Map<string, Promise<{ token: Hidden; until: number }>>();
  const ask = async (app: GithubAppLogin, url: RepositoryUrl): Promise<{ token: Hidden; until: number }> => {
    const jwt = signJwt(app, parts.now());
    const id = app.installation ?? (await findInstallation(parts, app, url, jwt));
    const answer = await call(parts, {
      method: 'POST',
      api: app.api,
      path: `/app/installations/${id}/access_tokens`,
      jwt,
    });
    const token = own(answer, 'token');
    const expires = Date.parse(stringAt(answer, 'expires_at') ?? '');
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) throw refused();
    return { token: new Hidden(token), until: Number.isNaN(expires) ? parts.now() + 10 * 60_000 : expires };
  };
  return {
    async token(app, url) {
      const key = keyOf(app, url);
      const kept = await tokens.get(key)?.catch(() => undefined);
      if (kept !== undefined && kept.until - spareMs > parts.now()) return kept.token;
      const fresh = ask(app, url);
      tokens.set(key, fresh);
      fresh.catch(() => tokens.get(key) === fresh && tokens.delete(key));
      return (await fresh).token;
    },
  };
}

function keyOf(app: GithubAppLogin, url: RepositoryUrl): string {
  const key = createHash('sha256').update(app.privateKey.reveal()).digest('hex');
  return [app.api, app.id, app.installation ?? url.key, key].join('\n');
}

/** A token of one's own making, good for nine minutes: GitHub takes at most ten. */
function signJwt(app: GithubAppLogin, now: number): string {
  const seconds = Math.floor(now / 1000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: seconds - 60, exp: seconds + 540, iss: app.id })}`;
  try {
    return `${head}.${createSign('RSA-SHA256').update(head).sign(app.privateKey.reveal(), 'base64url')}`;
  } catch {
    throw new ArgosyError(
      'config-invalid',
      'the repository Secret cannot be used: githubAppPrivateKey is not an RSA key',
    );
  }
}

async function findInstallation(
  parts: GithubAppParts,
  app: GithubAppLogin,
  url: RepositoryUrl,
  jwt: string,
): Promise<string> {
  const [owner = '', name = ''] = url.path.replace(/^\/|\.git$/g, '').split('/');
  const path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/installation`;
  const id = own(await call(parts, { method: 'GET', api: app.api, path, jwt }), 'id');
  if (typeof id !== 'number') throw refused();
  return String(id);
}

async function call(parts: GithubAppParts, { method, api, path, jwt }: Ask): Promise<{ readonly [key: string]: Json }> {
  const { status, body } = await callHttp(parts, {
    method,
    url: new URL(`${api}${path}`),
    headers: { authorization: `Bearer ${jwt}`, accept: 'application/vnd.github+json' },
    maxBytes: maxAnswerBytes,
    deadlineMs: answerMs,
  });
  const answer = status === 200 || status === 201 ? parseJson(body) : undefined;
  if (!isObject(answer)) throw refused(status);
  return answer;
}

function refused(status?: number): ArgosyError {
  return new ArgosyError('git-auth', 'GitHub refuses the App, or it is not installed for this repository', { status });
}
