import assert from 'node:assert/strict';
import { load } from 'js-yaml';
import { type Application, parseApplication } from '../../api/index.ts';
import type { Json } from '../../json/index.ts';

/** The Application `shop` as its users write it; `rest` goes on where its spec ends, indented for more of that. */
export function shop(rest: string): Application {
  const parsed = parseApplication(
    load(`
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/x, path: .}
  destination: {server: https://kubernetes.default.svc, namespace: shop}
${rest}`) as Json,
  );
  assert.ok(parsed.ok);
  return parsed.value;
}
