import type { Credentials } from '../../common/database/credentials-file.js';
import type { MetricValues, ProcessMetrics } from '../../common/observability/metrics.js';

/** From the supervisor to an app over the IPC channel: the database is migrated, open. */
export const GO = 'go';

/** From the supervisor to the apps before it stops them: they are not ready from then on. */
export const STOP_SOON = 'stop soon';

/** From the supervisor to an app: drain, and end. */
export const STOP = 'stop';

/** From the process that prepares the database to the supervisor: what it does, then what became of it. */
export type PreparationMessage = { log: string } | { made: Credentials | null } | { failed: string };

/** From an app to the supervisor: it listens at this address. */
export interface ReadyMessage {
  ready: string;
}

export function isReady(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && 'ready' in message && typeof message.ready === 'string';
}

/** From an app to the supervisor: it is scraped, and the metrics of all processes of its port are wanted. */
export const METRICS_WANTED = 'metrics wanted';

/** From the supervisor to an app: answer with a MetricsMessage. */
export const READ_METRICS = 'read metrics';

/** From an app to the supervisor: its own metrics. */
export interface MetricsMessage {
  metrics: MetricValues[];
}

/** From the supervisor to the app that is scraped. */
export interface AllMetricsMessage {
  metricsOfAll: ProcessMetrics[];
}

export const isMetrics = (message: unknown): message is MetricsMessage => hasList(message, 'metrics');

export const isAllMetrics = (message: unknown): message is AllMetricsMessage => hasList(message, 'metricsOfAll');

const hasList = (message: unknown, name: string): boolean =>
  typeof message === 'object' && message !== null && Array.isArray((message as Record<string, unknown>)[name]);
