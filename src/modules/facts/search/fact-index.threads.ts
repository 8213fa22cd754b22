import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Piscina } from 'piscina';
import type { PackedSegment } from './fact-segment.js';
import work, { type SegmentTask } from './fact-index.worker.js';

/** Fewer facts than this are analysed sooner than they are handed over. */
const WORTH_A_THREAD = 256;
const IDLE_MS = 30_000;

/** Analysing and merging beside the event loop, so that requests are answered meanwhile. */
@Injectable()
export class FactIndexThreads implements OnApplicationShutdown {
  private readonly file = workerFile();
  private threads: Piscina<SegmentTask, PackedSegment[]> | undefined;

  /** @throws SegmentCorrupted (by name: it crosses a thread) when a segment is not what was written */
  async run(task: SegmentTask): Promise<PackedSegment[]> {
    if (task.kind !== 'merge' && task.facts.length < WORTH_A_THREAD) return work(task);
    // Run from TypeScript without a build there is no file that a thread could load.
    if (!existsSync(this.file)) return work(task);
    this.threads ??= new Piscina({ filename: this.file, minThreads: 0, maxThreads: 1, idleTimeout: IDLE_MS });
    return this.threads.run(task);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads?.destroy();
  }
}

/** The compiled worker; when this module itself runs from TypeScript, as in the tests, the one of the last build. */
function workerFile(): string {
  const here = fileURLToPath(new URL('./fact-index.worker.js', import.meta.url));
  return import.meta.url.endsWith('.ts') ? here.replace(/([\\/])src([\\/]modules[\\/])/, '$1dist$2') : here;
}
