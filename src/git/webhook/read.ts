import type { Json } from '../../core/json/index.ts';
import type { Provider, WebhookAnswer, WebhookRequest, WebhookSecrets } from './event.ts';
import { readers } from './payload.ts';
import { isAuthentic } from './verify.ts';

/** Argo CD's default of `webhook.maxPayloadSizeMB`. */
const defaultMaxBytes = 50 * 1024 * 1024;

/**
 * Reads a webhook: who sends it, whether it knows the secret (over the raw bytes, before anything is parsed), and
 * what it says. Any shape of payload gets an answer, none an exception.
 */
export function readWebhook(
  request: WebhookRequest,
  secrets: WebhookSecrets,
  maxBytes = defaultMaxBytes,
): WebhookAnswer {
  if (request.body.length > maxBytes) return { ok: false, status: 413, message: 'the payload is too large' };
  const provider = providerOf(request.headers);
  if (provider === undefined) return { ok: false, status: 400, message: 'unknown webhook event' };
  if (!isAuthentic(provider, request, secrets))
    return { ok: false, status: 401, message: 'the webhook signature is wrong or missing' };
  const payload = parse(request.body);
  if (payload === undefined) return { ok: false, status: 400, message: 'the payload is not JSON' };
  return { ok: true, event: isPush(provider, request.headers) ? readers[provider](payload) : undefined };
}

/** The order is Argo CD's: Gitea and Gogs also send GitHub's header. */
function providerOf(headers: WebhookRequest['headers']): Provider | undefined {
  if (headers['x-vss-activityid'] !== undefined) return 'azuredevops';
  if (headers['x-gogs-event'] !== undefined || headers['x-gitea-event'] !== undefined) return 'gogs';
  if (headers['x-github-event'] !== undefined) return 'github';
  if (headers['x-gitlab-event'] !== undefined) return 'gitlab';
  if (headers['x-hook-uuid'] !== undefined) return 'bitbucket';
  return headers['x-event-key'] === undefined ? undefined : 'bitbucketserver';
}

function isPush(provider: Provider, headers: WebhookRequest['headers']): boolean {
  switch (provider) {
    case 'azuredevops':
      return true;
    case 'gogs':
      return (headers['x-gogs-event'] ?? headers['x-gitea-event']) === 'push';
    case 'github':
      return headers['x-github-event'] === 'push';
    case 'gitlab':
      return ['Push Hook', 'Tag Push Hook', 'System Hook'].includes(headers['x-gitlab-event'] ?? '');
    case 'bitbucket':
      return headers['x-event-key'] === 'repo:push';
    case 'bitbucketserver':
      return headers['x-event-key'] === 'repo:refs_changed';
  }
}

function parse(body: Buffer): Json | undefined {
  try {
    // JSON.parse answers JSON, by its name.
    return JSON.parse(body.toString('utf8')) as Json;
  } catch {
    return undefined;
  }
}
