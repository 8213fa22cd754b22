import { MessageChannel } from 'node:worker_threads';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Piscina } from 'piscina';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { ServiceUnavailable } from '../../../common/problem/common-problems.js';
import { FairQueue, QueueFull } from '../../../common/workers/fair-queue.js';
import { builtFile } from '../../../common/built-file.js';
import type { CallResult } from './extensions.types.js';
import type { ExtensionTask } from './run-extension.worker.js';

const MIB = 1024 * 1024;
/** Calls that run at once in a process. */
const AT_ONCE = 2;
const WAITING = { atOnce: AT_ONCE, places: 64, bytes: 64 * MIB, waitMs: 10_000 };
/** Longest time that a thread takes to start on a busy machine. */
const START_MS = 10_000;
/** The heap of a thread, in MiB; the memory of a module is bounded by the module itself. */
const HEAP_MIB = 64;

/** Runs modules in threads that are ended with a call that lasts too long (docs/decisions/0289). */
@Injectable()
export class ExtensionThreads implements OnApplicationShutdown {
  private readonly queue = new FairQueue(WAITING);
  private readonly timeoutMs: number;
  private threads: Piscina<ExtensionTask, CallResult> | undefined;

  constructor(@Inject(SETTINGS) { extensions }: Settings) {
    this.timeoutMs = extensions.timeoutMs;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads?.destroy();
  }

  /**
   * @param tenant by which turns are taken, so that no tenant waits for many calls of another
   * @throws ServiceUnavailable while too many wait
   */
  async run(tenant: string, module: Uint8Array, input: Uint8Array): Promise<CallResult> {
    try {
      return await this.queue.run(tenant, module.length + input.length, () => this.runInThread(module, input));
    } catch (error) {
      if (!(error instanceof QueueFull)) throw error;
      throw new ServiceUnavailable({ retryAfterSec: 2 }, 'Many extensions are running; call it again');
    }
  }

  private async runInThread(module: Uint8Array, input: Uint8Array): Promise<CallResult> {
    const { port1, port2 } = new MessageChannel();
    const limit = new AbortController();
    let timer = setTimeout(() => limit.abort(), START_MS);
    port1.once('message', () => {
      clearTimeout(timer);
      timer = setTimeout(() => limit.abort(), this.timeoutMs);
    });
    try {
      const task = { module, input, started: port2 };
      return await this.pool().run(task, { signal: limit.signal, transferList: [port2] });
    } catch (error) {
      if (limit.signal.aborted) return ended('timed_out', `It ran longer than ${this.timeoutMs} ms.`);
      if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY')
        return ended('out_of_memory', 'It took more memory than there is for it.');
      throw error;
    } finally {
      clearTimeout(timer);
      port1.close();
    }
  }

  private pool(): Piscina<ExtensionTask, CallResult> {
    this.threads ??= new Piscina({
      filename: builtFile(import.meta.url, 'run-extension.worker.js'),
      minThreads: 0,
      maxThreads: AT_ONCE,
      idleTimeout: 30_000,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: 8 },
      // Nothing of the server's settings is for an extension to see.
      env: {},
    });
    return this.threads;
  }
}

const ended = (outcome: 'timed_out' | 'out_of_memory', detail: string): CallResult => ({
  ...{ outcome, detail, output: new Uint8Array(), logs: [] },
});
