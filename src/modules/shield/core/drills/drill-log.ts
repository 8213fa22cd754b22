import { setTimeout as pause } from 'node:timers/promises';
import type { DrillResult, DrillStep } from './drills.types.js';

/**
 * How long a drill waits for what should happen: well beyond what the product promises, so that late and never can be
 * distinguished.
 */
const TIMEOUT_MS = 4_000;
const POLL_MS = 5;

/** What is observed, as text, until it is what is expected. */
export interface Expectation {
  name: string;
  observe: () => Promise<string>;
  expected: string;
}

/** The record of a drill as it runs. All times are measured here. */
export class DrillLog {
  private readonly started = performance.now();
  private readonly steps: DrillStep[] = [];
  private detectionUs: number | null = null;
  private recoveryUs: number | null = null;

  get result(): DrillResult {
    return { detectionUs: this.detectionUs, recoveryUs: this.recoveryUs, steps: this.steps };
  }

  /** Something the drill does. */
  async act<T>(name: string, work: () => Promise<T>): Promise<T> {
    const done = await work();
    this.write(name, true, 'done');
    return done;
  }

  /** How things stand before the fault; a drill that starts from a wrong state proves nothing. */
  async expect({ name, observe, expected }: Expectation): Promise<void> {
    const found = await observe();
    this.write(name, found === expected, found);
  }

  /** From the moment the fault is there until it is met. */
  async detect(expectation: Expectation): Promise<void> {
    this.detectionUs = await this.until(expectation);
  }

  /** From the moment the fault is mended until all is as before. */
  async recover(expectation: Expectation): Promise<void> {
    this.recoveryUs = await this.until(expectation);
  }

  private async until({ name, observe, expected }: Expectation): Promise<number | null> {
    const from = performance.now();
    for (;;) {
      const found = await observe();
      const tookMs = performance.now() - from;
      if (found === expected || tookMs > TIMEOUT_MS) {
        this.write(name, found === expected, found);
        return found === expected ? Math.round(tookMs * 1000) : null;
      }
      await pause(POLL_MS);
    }
  }

  private write(name: string, ok: boolean, detail: string): void {
    this.steps.push({ name, at_us: Math.round((performance.now() - this.started) * 1000), ok, detail });
  }
}
