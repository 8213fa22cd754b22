import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { KeyRing } from '../../../common/evidence-log/key-ring.js';
import { publishedKeys } from '../../../common/evidence-log/published-keys.js';
import { ServiceUnavailable } from '../../../common/problem/common-problems.js';
import { builtFile } from '../../../common/built-file.js';
import type { BundleVerdictBody } from './audit.dto.js';
import { BundleMalformed, BundleTooLarge } from './audit.problems.js';
import { BUNDLE_LIMITS, type BundleOutcome, type BundleTask } from './audit.types.js';
import { FairQueue, QueueFull } from '../../../common/workers/fair-queue.js';
import { ThreadExhausted, TimedThreads } from '../../../common/workers/timed-threads.js';

const MIB = 1024 * 1024;
/** A caller that waits longer for the thread gets a 503 and retries: nothing is known of the bundle yet. */
const WAIT_MS = 8_000;
/** What waits of those without a credential, and of those with one. More is refused for the moment. */
const ANONYMOUS = { places: 8, bytes: 64 * MIB, waitMs: WAIT_MS };
const IDENTIFIED = { places: 128, bytes: 64 * MIB, waitMs: WAIT_MS };
/** A bundle that takes longer is given up with its thread; with the wait it is less than the router's 30 seconds. */
const MAX_MS = 20_000;
/** Memory of a thread, in MiB: what a bundle of the largest size takes, with headroom. */
const MAX_MIB = 1024;

/** The caller that sends a bundle. */
export interface Bringer {
  /** As ClientAddresses gives it: by it turns are taken. */
  address: string;
  /** Whether a credential that holds came with it. */
  isIdentified: boolean;
}

/**
 * Verifies bundles in threads, so that a large one, or a crafted one, holds no other route up. There is one for callers
 * with a credential and one for the rest, so that the latter never keep the former waiting (docs/decisions/0102, 0116).
 */
@Injectable()
export class BundleVerificationService implements OnApplicationShutdown {
  private readonly threads = new TimedThreads<BundleTask, BundleOutcome>({
    filename: builtFile(import.meta.url, 'verify-bundle.worker.js'),
    minThreads: 0,
    maxThreads: 2,
    idleTimeout: 10_000,
    heapMb: MAX_MIB,
  });

  private readonly anonymous = new FairQueue(ANONYMOUS);
  private readonly identified = new FairQueue(IDENTIFIED);

  constructor(private readonly keys: KeyRing) {}

  async onApplicationShutdown(): Promise<void> {
    await this.threads.destroy();
  }

  /** @throws BundleMalformed, BundleTooLarge, ServiceUnavailable while too many wait */
  async verify(bytes: Uint8Array, bringer: Bringer): Promise<BundleVerdictBody> {
    if (bytes.length === 0) throw new BundleMalformed({}, 'The body is empty: send the bundle as it was exported.');
    const view = await this.keys.view();
    const { known } = view;
    const task = { bytes, limits: BUNDLE_LIMITS, keys: publishedKeys(view) };
    const outcome = await this.run(task, bringer);
    if ('refused' in outcome) throw refusalOf(outcome.refused, outcome.detail);
    const { ok, checks, format, tenantId, subject, kids, roots, isByTrusted } = outcome.verdict;
    const ours = new Map(known.map((one) => [one.key.kid, one]));
    const isOurs = (kid: string): boolean => ours.has(kid) || view.es256.some(({ key }) => key.kid === kid);
    const keys = kids.map((kid) => ({ kid, known: isOurs(kid) }));
    // A key that another one named signs for one purpose: a file that rests on it alone is none of ours.
    const isSound = roots.length > 0 && roots.every((kid) => !ours.get(kid)?.statement?.rotation);
    return {
      ok,
      known_issuer: isByTrusted || (isSound && keys.every((key) => key.known)),
      checks: [...checks],
      format,
      tenant_id: tenantId,
      subject,
      keys,
    };
  }

  /** One after another in each queue. */
  private async run(task: BundleTask, { address, isIdentified }: Bringer): Promise<BundleOutcome> {
    const queue = isIdentified ? this.identified : this.anonymous;
    try {
      return await queue.run(address, task.bytes.length, () => this.runInThread(task));
    } catch (error) {
      if (error instanceof QueueFull) throw busy();
      throw error;
    }
  }

  private async runInThread(task: BundleTask): Promise<BundleOutcome> {
    try {
      return await this.threads.run(task, MAX_MS);
    } catch (error) {
      if (!(error instanceof ThreadExhausted)) throw error;
      if (error.lacking === 'memory') throw refusalOf('too big', 'it takes more memory than there is for it');
      throw refusalOf('too big', `it takes longer than ${MAX_MS / 1000} seconds to verify`);
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
