import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { builtFile } from '../../../common/built-file.js';
import { TimedThreads } from '../../../common/workers/timed-threads.js';
import type { WalkedWorkspace } from './workspace-scan.types.js';

/** Far above what 200,000 files take on a slow disk. */
const MAX_WALK_MS = 15 * 60_000;
const HEAP_MB = 1024;
const IDLE_MS = 10_000;

/**
 * Walks in a thread of its own: what patterns of a .gitignore take to be held against a path, and how many there are,
 * is for whoever writes into the workspace to say, and the process goes on meanwhile.
 */
@Injectable()
export class WalkThread implements OnApplicationShutdown {
  private made: TimedThreads<string, WalkedWorkspace> | undefined;

  async onApplicationShutdown(): Promise<void> {
    await this.made?.destroy();
  }

  /** @throws ThreadExhausted past its time or memory */
  walk(folder: string, maxMs = MAX_WALK_MS): Promise<WalkedWorkspace> {
    this.made ??= new TimedThreads({
      filename: builtFile(import.meta.url, 'workspace-walk.worker.js'),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      heapMb: HEAP_MB,
    });
    return this.made.run(folder, maxMs);
  }
}
