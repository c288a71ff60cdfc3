import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { findBinary } from './real-processes.ts';

/** Runs kubectl with an editor of ours, and answers what it printed. */
export function edit(kubeconfig: string, editor: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, KUBE_EDITOR: editor };
    const child = spawn(findBinary('kubectl', 'KUBECTL'), [`--kubeconfig=${kubeconfig}`, ...args], {
      env,
      timeout: 60_000,
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.on('error', reject);
    child.on('close', () => resolve(out));
  });
}

/** Runs kubectl until it is stopped; `until` waits for a text in what it prints. */
export function watch(kubeconfig: string, args: string[]): { until(pattern: RegExp): Promise<void>; stop(): void } {
  const child = spawn(findBinary('kubectl', 'KUBECTL'), [`--kubeconfig=${kubeconfig}`, ...args], { timeout: 60_000 });
  let out = '';
  let wake = (): void => undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    wake();
  });
  child.on('close', () => wake());
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(out)) {
      assert.equal(child.exitCode, null, `kubectl ended: ${out}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, 1_000);
      });
    }
  };
  return { until, stop: () => child.kill('SIGKILL') };
}
