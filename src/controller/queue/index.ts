export { createQueue, type Queue, type QueueClock, type QueueOptions } from './queue.ts';
