import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Piscina } from 'piscina';
import { KeyRing } from '../../common/evidence/key-ring.js';
import { ServiceUnavailable } from '../../common/problem/house-problems.js';
import type { BundleVerdictBody } from './audit.dto.js';
import { BundleMalformed, BundleTooLarge } from './audit.problems.js';
import { BUNDLE_LIMITS, type BundleOutcome, type BundleTask } from './audit.types.js';

/** Bundles that wait for the thread; each is at most 8 MiB. More are refused for the moment. */
const MOST_WAITING = 8;
/** Who waits longer for the thread is told to come again: nothing is known of the bundle yet. */
const MOST_WAIT_MS = 8_000;
/** A bundle that takes longer is given up with its thread; with the wait it is less than the router's 30 seconds. */
const MOST_MS = 20_000;
/** Memory of the thread, in MiB: what a bundle of the largest size takes, and room to spare. */
const MOST_MIB = 1024;

/** Verifies bundles in one thread, so that a large one, or a crafted one, holds nobody else up. */
@Injectable()
export class BundleVerificationService implements OnApplicationShutdown {
  private readonly thread = new Piscina<BundleTask, BundleOutcome>({
    filename: workerFile(),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 10_000,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MIB },
  });

  /** Settles when all bundles that came before are done with. */
  private turn = Promise.resolve();
  private waiting = 0;

  constructor(private readonly keys: KeyRing) {}

  async onApplicationShutdown(): Promise<void> {
    await this.thread.destroy();
  }

  /** @throws BundleMalformed, BundleTooLarge, ServiceUnavailable while too many wait */
  async verify(bytes: Uint8Array): Promise<BundleVerdictBody> {
    if (bytes.length === 0) throw new BundleMalformed({}, 'The body is empty: send the bundle as it was exported.');
    const outcome = await this.run(bytes);
    if ('refused' in outcome) throw refusalOf(outcome.refused, outcome.detail);
    const { ok, checks, format, tenantId, subject, kids } = outcome.verdict;
    const ours = new Set((await this.keys.list()).map(({ key }) => key.kid));
    const keys = kids.map((kid) => ({ kid, known: ours.has(kid) }));
    return {
      ok,
      known_issuer: keys.length > 0 && keys.every(({ known }) => known),
      checks: [...checks],
      format,
      tenant_id: tenantId,
      subject,
      keys,
    };
  }

  /** One after another, so that the time a bundle waits is not taken for the time it takes. */
  private async run(bytes: Uint8Array): Promise<BundleOutcome> {
    if (this.waiting >= MOST_WAITING) throw busy();
    const before = this.turn;
    const mine = Promise.withResolvers<void>();
    this.turn = before.then(() => mine.promise);
    try {
      if (!(await this.isTurn(before))) throw busy();
      return await this.runInThread(bytes);
    } finally {
      mine.resolve();
    }
  }

  private async isTurn(before: Promise<void>): Promise<boolean> {
    const over = new AbortController();
    this.waiting++;
    try {
      const late = wait(MOST_WAIT_MS, false, { signal: over.signal });
      return await Promise.race([before.then(() => true), late]);
    } finally {
      this.waiting--;
      over.abort();
    }
  }

  private async runInThread(bytes: Uint8Array): Promise<BundleOutcome> {
    const signal = AbortSignal.timeout(MOST_MS);
    try {
      return await this.thread.run({ bytes, limits: BUNDLE_LIMITS }, { signal });
    } catch (error) {
      if (signal.aborted) throw refusalOf('too big', `it takes longer than ${MOST_MS / 1000} seconds to verify`);
      if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY')
        throw refusalOf('too big', 'it takes more memory than there is for it');
      throw error;
    }
  }
}

const busy = () =>
  new ServiceUnavailable({ retryAfterSec: 1 }, 'Many bundles are waiting to be verified; send it again.');

function refusalOf(refused: 'unreadable' | 'too big', detail: string): BundleMalformed | BundleTooLarge {
  if (refused === 'unreadable') return new BundleMalformed({}, `The bundle cannot be read: ${detail}.`);
  const { bytes, ratio } = BUNDLE_LIMITS;
  return new BundleTooLarge({ limit_bytes: bytes, limit_ratio: ratio }, `The bundle is too large: ${detail}.`);
}

/** The compiled worker; when this module itself runs from TypeScript, as in the tests, the one of the last build. */
function workerFile(): string {
  const here = fileURLToPath(new URL('./verify-bundle.worker.js', import.meta.url));
  return import.meta.url.endsWith('.ts') ? here.replace(/([\\/])src([\\/]modules[\\/])/, '$1dist$2') : here;
}
