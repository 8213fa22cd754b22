import { existsSync } from 'node:fs';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Piscina } from 'piscina';
import type { PackedSegment } from './fact-segment.js';
import work, { type SegmentTask } from './fact-index.worker.js';
import { builtFile } from '../../../../common/built-file.js';

/** Analysing fewer facts than this is faster than handing them to a thread. */
const WORTH_A_THREAD = 256;
const IDLE_MS = 30_000;

/** Analyses and merges off the event loop, so that requests are answered meanwhile. */
@Injectable()
export class FactIndexThreads implements OnApplicationShutdown {
  private readonly file = builtFile(import.meta.url, 'fact-index.worker.js');
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
