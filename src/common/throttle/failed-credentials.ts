import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { boundedCache } from '../caches/bounded-cache.js';
import { Metrics } from '../observability/metrics.js';
import { CredentialThrottled } from '../problem/common-problems.js';
import type { Allowance } from './throttle.store.js';

/** A key as it came with a request. */
export interface PresentedKey {
  /** What its failure is counted by, together with the address. */
  prefix: string;
  /** Of a key that somebody chose, which could be guessed: its digest. */
  chosen?: string;
}

/** What a failure is counted by. */
interface Source {
  /** As ClientAddresses gives it. */
  address: string;
  /** Of a key, or the kind of another credential. */
  prefix: string;
}

const OF_PREFIX: Allowance = { free: 10, firstSeconds: 1, maxSeconds: 900 };
const OF_ADDRESS: Allowance = { free: 50, firstSeconds: 1, maxSeconds: 900 };
/** Counts are reset after an hour without failures. */
const RESET_MS = 3_600_000;
const MAX_COUNTS = 50_000;

/** Chosen keys from an address past its bound are checked one per so many milliseconds. */
const PACE_MS = 250;
/** A request that would wait longer is refused unchecked, so an address has at most 40 that wait. */
const MAX_WAIT_MS = 10_000;
/** Requests of all addresses together that wait to be checked. */
const MAX_WAITING = 1_000;
/** Chosen keys that are not paced, since they were right before in this process. */
const MAX_KNOWN = 10_000;

interface Count {
  failures: number;
  /** By performance.now(). */
  blockedUntil: number;
}

/**
 * Counts invalid credentials, by client address and prefix, and answers 429 in place of 401 past the bound
 * (docs/decisions/0115). A valid one is never answered so. In memory, per process: nobody without a credential makes
 * the database write.
 */
@Injectable()
export class FailedCredentials {
  private readonly counts = boundedCache<Count>(MAX_COUNTS, RESET_MS);
  private readonly nextLooks = boundedCache<number>(MAX_COUNTS, 2 * MAX_WAIT_MS);
  private readonly known = boundedCache<true>(MAX_KNOWN);
  private waiting = 0;
  private readonly failures;

  constructor(metrics: Metrics) {
    this.failures = metrics.counter(
      'svc_credential_failures_total',
      'Invalid credentials, by answer: refused (401), throttled (429).',
      ['answer'],
    );
  }

  /**
   * Looks for the owner of a key.
   * @param addressOf asked for only where it matters
   * @returns undefined when there is none
   * @throws CredentialThrottled when there is none and too many failed before it
   */
  async check<T>(
    { prefix, chosen }: PresentedKey,
    addressOf: () => string,
    find: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    if (chosen !== undefined && !this.known.has(chosen)) await this.takeTurn({ address: addressOf(), prefix });
    const found = await find();
    if (found === undefined) this.fail({ address: addressOf(), prefix });
    else if (chosen !== undefined) this.known.set(chosen, true);
    return found;
  }

  /** Counts a failure. @throws CredentialThrottled when there were too many before it */
  fail(source: Source): void {
    const wait = this.count(source);
    if (wait > 0) throw throttled(wait, 'Too many invalid credentials from this address; a valid one is accepted');
  }

  /**
   * Counts a failure.
   * @returns the seconds to wait where there were too many, 0 where not; what fails during the wait is not counted
   */
  count(source: Source): number {
    const wait = this.secondsLeft(source);
    if (wait === 0) {
      this.add(source.address, OF_ADDRESS);
      this.add(pairOf(source), OF_PREFIX);
    }
    this.failures.inc({ answer: wait === 0 ? 'refused' : 'throttled' });
    return wait;
  }

  /**
   * A valid key waits as well unless it was seen before: otherwise the speed of an answer would reveal a right guess.
   */
  private async takeTurn(source: Source): Promise<void> {
    if (!this.isPastBound(source)) return;
    const now = performance.now();
    const at = Math.max(now, this.nextLooks.get(source.address) ?? 0);
    if (at - now > MAX_WAIT_MS || this.waiting >= MAX_WAITING) {
      this.failures.inc({ answer: 'throttled' });
      throw throttled(MAX_WAIT_MS / 1000, 'Too many keys from this address wait to be checked');
    }
    // Taken for good, also by a client that does not wait for its answer.
    this.nextLooks.set(source.address, at + PACE_MS);
    this.waiting++;
    await sleep(at - now, undefined, { ref: false }).finally(() => this.waiting--);
  }

  private isPastBound(source: Source): boolean {
    const failuresOf = (name: string) => this.counts.get(name)?.failures ?? 0;
    return failuresOf(source.address) >= OF_ADDRESS.free || failuresOf(pairOf(source)) >= OF_PREFIX.free;
  }

  private secondsLeft(source: Source): number {
    const until = [source.address, pairOf(source)].map((name) => this.counts.get(name)?.blockedUntil ?? 0);
    return Math.max(0, Math.ceil((Math.max(...until) - performance.now()) / 1000));
  }

  /** From the last free failure on there is a wait, twice as long each time. */
  private add(name: string, { free, firstSeconds, maxSeconds }: Allowance): void {
    const failures = (this.counts.get(name)?.failures ?? 0) + 1;
    const seconds = failures < free ? 0 : Math.min(maxSeconds, firstSeconds * 2 ** Math.min(failures - free, 30));
    this.counts.set(name, { failures, blockedUntil: seconds === 0 ? 0 : performance.now() + seconds * 1000 });
  }
}

/** No address holds a blank. */
const pairOf = ({ address, prefix }: Source): string => `${address} ${prefix}`;

const throttled = (retryAfterSec: number, detail: string): CredentialThrottled =>
  new CredentialThrottled({ retryAfterSec }, `${detail}. Try again in ${retryAfterSec} s`);
