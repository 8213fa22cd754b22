import {
  AggregatorRegistry,
  Counter,
  Gauge,
  Histogram,
  Registry,
  collectDefaultMetrics,
  type MetricObjectWithValues,
  type MetricValue,
} from 'prom-client';

/**
 * What prom-client measures of the process itself: once, however many apps run in it, since its timers and observers
 * cannot be ended.
 */
const ofProcess = new Registry();
const measureProcess = (): void => {
  if (ofProcess.getMetricsAsArray().length === 0) collectDefaultMetrics({ register: ofProcess });
};

/** A metric with all its series, as prom-client gives it to another process. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>;

/** The metrics of one of several processes. */
export interface ProcessMetrics {
  /** From 1 on. */
  process: number;
  metrics: MetricValues[];
}

/** The process's metrics, over one prom-client registry. Names start with svc_; a name is declared once. */
export class Metrics {
  readonly registry = new Registry();
  /** Where several processes share the port: the metrics of all of them; undefined when they cannot be had. */
  readAll?: () => Promise<ProcessMetrics[] | undefined>;

  constructor() {
    measureProcess();
    for (const { name } of ofProcess.getMetricsAsArray())
      this.registry.registerMetric(ofProcess.getSingleMetric(name)!);
  }

  /** A scrape. Where several processes share the port, every series has the label `process`. */
  async read(): Promise<string> {
    const all = await this.readAll?.();
    return all ? AggregatorRegistry.aggregate(all.map(labelled)).metrics() : this.registry.metrics();
  }

  histogram<L extends string>(
    name: `svc_${string}`,
    help: string,
    labelNames: readonly L[],
    buckets = SECONDS,
  ): Histogram<L> {
    return this.once(name, () => new Histogram({ name, help, labelNames, buckets, registers: [this.registry] }));
  }

  counter<L extends string>(name: `svc_${string}`, help: string, labelNames: readonly L[] = []): Counter<L> {
    return this.once(name, () => new Counter({ name, help, labelNames, registers: [this.registry] }));
  }

  /** @param collect sets the value at the moment of the scrape */
  gauge<L extends string>(
    name: `svc_${string}`,
    help: string,
    labelNames: readonly L[] = [],
    collect?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L> {
    return this.once(
      name,
      () =>
        new Gauge({
          name,
          help,
          labelNames,
          registers: [this.registry],
          collect(this: Gauge<L>) {
            return collect?.(this);
          },
        }),
    );
  }

  private once<M>(name: string, make: () => M): M {
    return (this.registry.getSingleMetric(name) as M | undefined) ?? make();
  }
}

/**
 * No two processes have a series in common then: a sum is the series itself, and nothing is left out or averaged. What
 * is not a number yet did not come through the JSON between the processes.
 */
const labelled = ({ process, metrics }: ProcessMetrics): MetricValues[] =>
  metrics.map((metric) => ({
    ...metric,
    aggregator: 'sum' as const,
    values: metric.values
      .filter(({ value }) => Number.isFinite(value))
      .map((value) => ({ ...value, labels: { ...value.labels, process: String(process) } })),
  }));

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
