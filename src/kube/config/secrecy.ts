import { inspect } from 'node:util';
import type { Credential, KubeConfig } from '../types.ts';

/** Makes a credential unprintable: logs, inspections and JSON show `[credential]`, whoever prints it. */
export function sealed<C extends Credential>(credential: C): C {
  return seal(credential, '[credential]');
}

/** A configuration whose credential is sealed; printing it shows the address only. */
export function sealedConfig(config: KubeConfig): KubeConfig {
  return seal({ ...config, credential: sealed({ ...config.credential }) }, `[cluster ${config.server}]`);
}

function seal<T extends object>(value: T, shown: string): T {
  const show = { value: () => shown, enumerable: false };
  return Object.freeze(Object.defineProperties(value, { [inspect.custom]: show, toJSON: show, toString: show }));
}
