import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/**
 * What prom-client measures of the process itself: once, however many apps run in it, since its timers and observers
 * cannot be ended.
 */
const ofProcess = new Registry();
const measureProcess = (): void => {
  if (ofProcess.getMetricsAsArray().length === 0) collectDefaultMetrics({ register: ofProcess });
};

/** The process's metrics, over one prom-client registry. Names start with svc_; a name is declared once. */
export class Metrics {
  readonly registry = new Registry();

  constructor() {
    measureProcess();
    for (const { name } of ofProcess.getMetricsAsArray())
      this.registry.registerMetric(ofProcess.getSingleMetric(name)!);
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

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
