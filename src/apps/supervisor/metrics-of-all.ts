import type { Metrics, ProcessMetrics } from '../../common/observability/metrics.js';
import { isAllMetrics, METRICS_WANTED, READ_METRICS, type MetricsMessage } from './messages.js';

/** The supervisor answers sooner, unless it hangs. */
const TIMEOUT_MS = 5_000;

/**
 * In an app whose port several processes share under a supervisor: a scrape shows the metrics of all of them, and this
 * process answers when another one is scraped.
 */
export function showMetricsOfAll(metrics: Metrics): void {
  let reading: Reading | undefined;
  process.on('message', (message) => {
    if (message === READ_METRICS)
      void metrics.registry.getMetricsAsJSON().then((own) => send({ metrics: own } satisfies MetricsMessage));
    if (isAllMetrics(message)) reading?.resolve(message.metricsOfAll);
  });
  metrics.readAll = () => {
    reading ??= begin(() => (reading = undefined));
    return reading.promise;
  };
}

type Reading = PromiseWithResolvers<ProcessMetrics[] | undefined>;

/** Scrapes at the same time share one. */
function begin(ended: () => void): Reading {
  const reading: Reading = Promise.withResolvers();
  const timer = setTimeout(() => reading.resolve(undefined), TIMEOUT_MS);
  void reading.promise.then(() => {
    clearTimeout(timer);
    ended();
  });
  send(METRICS_WANTED);
  return reading;
}

/** Without a channel the process is about to end. */
const send = (message: unknown): void => void (process.connected && process.send?.(message));
