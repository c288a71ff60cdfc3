import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Hidden } from '../../core/api/index.ts';
import type { Provider, WebhookRequest, WebhookSecrets } from './event.ts';

/** Whether the sender proves that it knows the secret. The body is looked at as bytes only. */
export function isAuthentic(provider: Provider, request: WebhookRequest, secrets: WebhookSecrets): boolean {
  const { headers, body } = request;
  switch (provider) {
    case 'github':
      return signed(secrets['github.secret'], headers['x-hub-signature-256']?.replace(/^sha256=/, ''), body);
    case 'bitbucketserver':
      return signed(secrets['bitbucketserver.secret'], headers['x-hub-signature']?.replace(/^sha256=/, ''), body);
    case 'gogs':
      return signed(secrets['gogs.secret'], headers['x-gogs-signature'] ?? headers['x-gitea-signature'], body);
    case 'gitlab':
      return said(secrets['gitlab.secret'], headers['x-gitlab-token']);
    case 'bitbucket':
      return said(secrets['bitbucket.uuid'], headers['x-hook-uuid']?.replace(/^\{|\}$/g, ''));
    case 'azuredevops':
      return basic(secrets, headers['authorization']);
  }
}

function signed(secret: Hidden | undefined, signature: string | undefined, body: Buffer): boolean {
  if (secret === undefined || secret.isEmpty) return true;
  if (signature === undefined || !/^[0-9a-f]{64}$/i.test(signature)) return false;
  return timingSafeEqual(createHmac('sha256', secret.reveal()).update(body).digest(), Buffer.from(signature, 'hex'));
}

function said(secret: Hidden | undefined, word: string | undefined): boolean {
  if (secret === undefined || secret.isEmpty) return true;
  return equalText(secret.reveal().replace(/^\{|\}$/g, ''), word ?? '');
}

function basic(secrets: WebhookSecrets, header: string | undefined): boolean {
  const [user, password] = [secrets['azuredevops.username'], secrets['azuredevops.password']];
  const wanted = `${user?.reveal() ?? ''}:${password?.reveal() ?? ''}`;
  if (wanted === ':') return true;
  const given = /^Basic ([A-Za-z0-9+/=]{1,4096})$/i.exec(header ?? '')?.[1];
  return equalText(wanted, Buffer.from(given ?? '', 'base64').toString());
}

/** Compares in a time that does not tell where the first difference is, nor how long the secret is. */
function equalText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHmac('sha256', 'length').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
