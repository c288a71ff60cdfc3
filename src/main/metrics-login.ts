import { createHash } from 'node:crypto';
import { isArgosyError } from '../core/errors/index.ts';
import { own } from '../core/json/index.ts';
import { asJson } from '../core/objects/index.ts';
import { type Connection, connect, type KubeConfig, type Resource } from '../kube/index.ts';

/** What becomes of a request for metrics. */
export type Admission = 'allowed' | 'unknown caller' | 'denied' | 'too many' | 'no answer';

/** Who asks, as far as a request shows it. */
export interface Caller {
  readonly authorization: string | undefined;
  readonly address: string;
}

/** Decides who may read metrics. */
export interface MetricsLogin {
  admit(caller: Caller): Promise<Admission>;
}

export interface MetricsLoginOptions {
  /** Whether the bearer of a token may read metrics; undefined where nobody knows the token. Throws without an answer. */
  readonly ask: (token: string) => Promise<boolean | undefined>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const allowedMs = 60_000;
const refusedMs = 10_000;
/** How long a token that was allowed once is asked about before those of strangers. */
const acquaintedMs = 24 * 3_600_000;
const mostTokens = 256;
/** Who has no token that was ever allowed may have so many looked at in a window: the API server is not his to flood. */
const windowMs = 10_000;
const mostAsked = 5;
const mostAskers = 1_000;
const mostAtOnce = 8;
const bearer = /^bearer +([A-Za-z0-9._~+/=-]{1,8192})$/i;

interface Known {
  readonly answer: 'allowed' | 'unknown caller' | 'denied';
  readonly at: number;
}

/** Asks about each token once in a while, and about those of strangers only so often. */
export function createMetricsLogin({ ask, now }: MetricsLoginOptions): MetricsLogin {
  const allowed = new Map<string, Known>();
  const refused = new Map<string, Known>();
  const asking = new Map<string, Promise<Admission>>();
  const budget = createBudget(now);
  const review = async (token: string, digest: string): Promise<Admission> => {
    try {
      const may = await ask(token);
      const answer = may === undefined ? 'unknown caller' : may ? 'allowed' : 'denied';
      allowed.delete(digest);
      remember(answer === 'allowed' ? allowed : refused, digest, { answer, at: now() });
      return answer;
    } catch (error) {
      if (!isArgosyError(error)) throw error;
      return 'no answer';
    } finally {
      asking.delete(digest);
    }
  };
  return {
    async admit({ authorization = '', address }) {
      const token = bearer.exec(authorization)?.[1];
      if (token === undefined) return 'unknown caller';
      // Kept as a digest: a memory dump must not hold other people's tokens.
      const digest = createHash('sha256').update(token).digest('base64');
      const friend = allowed.get(digest);
      if (friend !== undefined && now() - friend.at < allowedMs) return 'allowed';
      const stranger = refused.get(digest);
      if (stranger !== undefined && now() - stranger.at < refusedMs) return stranger.answer;
      const running = asking.get(digest);
      if (running !== undefined) return running;
      const acquainted = friend !== undefined && now() - friend.at < acquaintedMs;
      if (!acquainted && (asking.size >= mostAtOnce || !budget.take(address))) return 'too many';
      const question = review(token, digest);
      asking.set(digest, question);
      return question;
    },
  };
}

/** The newest stay. */
function remember(known: Map<string, Known>, digest: string, answer: Known): void {
  known.delete(digest);
  known.set(digest, answer);
  for (const oldest of known.keys()) {
    if (known.size <= mostTokens) return;
    known.delete(oldest);
  }
}

function createBudget(now: () => number): { take(address: string): boolean } {
  let since = Number.NEGATIVE_INFINITY;
  const asked = new Map<string, number>();
  return {
    take(address) {
      if (now() - since >= windowMs) {
        since = now();
        asked.clear();
      }
      const count = asked.get(address) ?? 0;
      if (count >= mostAsked || (count === 0 && asked.size >= mostAskers)) return false;
      asked.set(address, count + 1);
      return true;
    },
  };
}

const reviews: Resource = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
  verbs: ['create'],
};
const askMs = 5_000;

/**
 * Lets the API server say whether the bearer of a token may `get` the path `/metrics`, asked with that token itself: this
 * needs no right of ours, where token and subject access reviews would need two that are valid for the whole cluster.
 */
export function asksTheCluster(config: KubeConfig, version: string): MetricsLoginOptions['ask'] {
  return async (token) => {
    // A connection of its own with nothing but the token: a client certificate of ours would speak for the caller.
    const connection = connect({ ...config, credential: { type: 'token', token } }, { version });
    try {
      return await mayReadMetrics(connection);
    } finally {
      await connection.close();
    }
  };
}

async function mayReadMetrics(connection: Pick<Connection, 'create'>): Promise<boolean | undefined> {
  const spec = { nonResourceAttributes: { path: '/metrics', verb: 'get' } };
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: reviews.kind, metadata: {}, spec };
  try {
    const answer = await connection.create(reviews, review, { deadlineMs: askMs });
    return own(own(asJson(answer), 'status'), 'allowed') === true;
  } catch (error) {
    if (isArgosyError(error) && error.code === 'kube-unauthorized') return undefined;
    // Somebody who may not even ask about himself has no right worth asking about.
    if (isArgosyError(error) && error.code === 'kube-forbidden') return false;
    throw error;
  }
}
