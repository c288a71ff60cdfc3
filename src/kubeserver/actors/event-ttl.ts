import type { Actor } from '../ports.ts';
import { remove } from './objects.ts';

const hour = 3_600_000;
const round = 60_000;

/** Forgets Events an hour after they were told. */
export function eventTtlActor(): Actor {
  return {
    name: 'event-ttl',
    start: (inside) => {
      let sweeping = Promise.resolve();
      const sweep = async (): Promise<void> => {
        const limit = inside.now().getTime() - hour;
        for (const event of inside.list('', 'Event')) {
          const told = event['lastTimestamp'] ?? event['eventTime'] ?? event.metadata.creationTimestamp;
          if (typeof told === 'string' && Date.parse(told) < limit) await remove(inside, event).catch(() => undefined); // next round
        }
      };
      const timer = setInterval(() => {
        sweeping = sweep();
      }, round);
      timer.unref();
      return {
        stop: async () => {
          clearInterval(timer);
          await sweeping;
        },
      };
    },
  };
}
