import type { ProcessMetrics } from '../../common/observability/metrics.js';
import type { AppProcess } from './app-process.js';
import { METRICS_WANTED, READ_METRICS, isMetrics, type AllMetricsMessage } from './messages.js';

/** A process that does not answer within this time is left out of a scrape. */
const TIMEOUT_MS = 2_000;

interface Round {
  /** How many processes were asked. */
  asked: number;
  given: Map<number, ProcessMetrics>;
  timer: NodeJS.Timeout;
}

/**
 * In the supervisor: passes the metrics of the processes that share a port to the one that is scraped. Scrapes at the
 * same time share one round.
 */
export class MetricsExchange {
  private readonly waiting = new Set<AppProcess>();
  private round: Round | undefined;

  constructor(private readonly processes: readonly AppProcess[]) {}

  open(): void {
    for (const [index, one] of this.processes.entries()) one.listen((message) => this.take(one, index + 1, message));
  }

  private take(from: AppProcess, number: number, message: unknown): void {
    if (message === METRICS_WANTED) {
      this.waiting.add(from);
      this.round ??= this.begin();
    } else if (isMetrics(message) && this.round) {
      const { given, asked } = this.round;
      given.set(number, { process: number, metrics: message.metrics });
      if (given.size >= asked) this.end();
    }
  }

  private begin(): Round {
    const asked = this.processes.filter((one) => one.send(READ_METRICS)).length;
    return { asked, given: new Map(), timer: setTimeout(() => this.end(), TIMEOUT_MS) };
  }

  private end(): void {
    const { given, timer } = this.round!;
    clearTimeout(timer);
    this.round = undefined;
    const all = [...given.values()].sort((a, b) => a.process - b.process);
    for (const one of this.waiting) one.send({ metricsOfAll: all } satisfies AllMetricsMessage);
    this.waiting.clear();
  }
}
