import { setTimeout as sleep } from 'node:timers/promises';

/**
 * That this process is about to stop. From then on its readiness and its answers say so, while its ports are still
 * open.
 */
export class Announcement {
  private readonly controller = new AbortController();
  private madeAt = 0;

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  make(): void {
    if (this.signal.aborted) return;
    this.madeAt = performance.now();
    this.controller.abort();
  }

  /** Resolves when it has been known for so long, or at once when somebody does not want to wait. */
  async knownFor(seconds: number, insisted: Promise<void>): Promise<void> {
    const left = this.madeAt + seconds * 1000 - performance.now();
    if (left <= 0) return;
    const ended = new AbortController();
    await Promise.race([sleep(left, undefined, { signal: ended.signal }), insisted]);
    ended.abort();
  }
}
