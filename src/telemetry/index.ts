/**
 * What Argosy tells about itself: log lines and metrics, with secrets kept out.
 *
 * It knows no room of the house; every room may use it. Begin with `logger.ts`.
 */
export { createLogger, type LogFormat, type Logger, type LogLevel, silentLogger } from './logger.ts';
export { type Counter, createMetrics, type Gauge, type Histogram, type Metrics } from './metrics.ts';
export { scrub } from './scrub.ts';
