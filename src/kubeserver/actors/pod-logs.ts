import type { Inside } from '../ports.ts';

export interface PodLogOptions {
  readonly namespace: string;
  readonly pod: string;
  /** Empty: the pod's only container. */
  readonly container: string;
  readonly follow: boolean;
  readonly tailLines?: number;
  readonly timestamps?: boolean;
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  readonly sinceTime?: Date;
  readonly limitBytes?: number;
  readonly signal?: AbortSignal;
}

/** The lines a pod's container has written; with `follow` it goes on until the pod or the reader ends. */
export async function* podLogs(_inside: Inside, _options: PodLogOptions): AsyncGenerator<string> {
  yield '';
}
