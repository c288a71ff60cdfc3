import type { Problem } from '../core/api/index.ts';
import { printProblems } from '../core/api/index.ts';
import type { EventNote, EventWriter } from '../kube/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';

/** An object as an Event names it. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** What the settings have to say to people; every call is short and never fails. */
export interface SettingsReport {
  /** An object cannot be read as written; what was last good stays in force where there was any. No problem: mended. */
  invalid(about: ObjectReference, problems: readonly Problem[], kept: boolean): void;
  /** A tenant's cluster Secret is refused, with the sentence for its Event. Resolves when the next may be told. */
  rejected(about: ObjectReference, reason: string): Promise<void> | void;
  /** Something cannot be read at the moment; it is tried on. */
  unreadable(what: string, error: Error): void;
  /** How many Secrets of a namespace are refused. */
  counted(namespace: string, rejected: number): void;
}

/** What the report is told through. */
export interface ReportParts {
  readonly events: EventWriter;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** A report that writes Events, log lines and metrics. */
export function settingsReport({ events, logger, metrics }: ReportParts): SettingsReport {
  const invalidNow = metrics.gauge('argosy_settings_invalid', 'Objects that cannot be read as written.', [
    'kind',
    'namespace',
    'name',
  ]);
  const rejectedNow = metrics.gauge('argosy_cluster_secrets_rejected', 'Cluster Secrets of tenants that are refused.', [
    'namespace',
  ]);
  return {
    invalid: (about, problems, kept) => {
      const labels = [about.kind, about.namespace, about.name];
      if (problems.length === 0) {
        invalidNow.remove(labels);
        return;
      }
      invalidNow.set(labels, 1);
      const message = `${printProblems(problems)}${kept ? '; the last good value stays in force' : ''}`;
      logger.warn('settings: an object cannot be read as written', { ...fieldsOf(about), problem: message });
      events.write(warning(about, 'InvalidSettings', message));
    },
    rejected: async (about, reason) => {
      logger.info('settings: a cluster Secret is refused', { ...fieldsOf(about), reason });
      await events.deliver(warning(about, 'ClusterRejected', reason));
    },
    unreadable: (what, error) => logger.warn('settings: cannot be read at the moment', { what, error: error.message }),
    counted: (namespace, rejected) => {
      if (rejected === 0) rejectedNow.remove([namespace]);
      else rejectedNow.set([namespace], rejected);
    },
  };
}

function fieldsOf({ kind, namespace, name }: ObjectReference): Record<string, string> {
  return { kind, namespace, name };
}

function warning(about: ObjectReference, reason: string, message: string): EventNote {
  return { type: 'Warning', reason, message, about: { ...about } };
}
