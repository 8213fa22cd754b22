import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../evidence/sha256.js';
import { ServiceUnavailable } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Nonce } from './system.dto.js';

/** memory-daemon.md 8. */
const TTL_SECONDS = 120;
const MAX_OPEN = 10_000;
const NONCE = /^[A-Za-z0-9_-]{43}$/;

/** `spent`: it was taken before, and would not have expired yet. */
export type NonceState = 'taken' | 'spent' | 'expired' | 'unknown';

/** Nonces of the sync handshake: anyone may have one, each works once (memory-daemon.md 4.7). */
@Injectable()
export class NonceService {
  constructor(private readonly tenancy: Tenancy) {}

  /** @throws ServiceUnavailable while too many are open */
  async issue(): Promise<Nonce> {
    const nonce = randomBytes(32).toString('base64url');
    const [row] = await this.tenancy.write<{ kept: boolean }>('select svc_keep_nonce($1, $2, $3) as kept', [
      digestOf(nonce),
      TTL_SECONDS,
      MAX_OPEN,
    ]);
    if (!row?.kept)
      throw new ServiceUnavailable({ retryAfterSec: 5 }, `${MAX_OPEN} nonces are open; the oldest expire soon`);
    return { nonce, ttl_seconds: TTL_SECONDS };
  }

  /** @returns `taken` once for a nonce that was issued and has not expired */
  async spend(nonce: string): Promise<NonceState> {
    if (!NONCE.test(nonce)) return 'unknown';
    const [row] = await this.tenancy.write<{ state: NonceState }>('select svc_spend_nonce($1) as state', [
      digestOf(nonce),
    ]);
    return row!.state;
  }
}

const digestOf = (nonce: string): Buffer => Buffer.from(sha256(Buffer.from(nonce, 'ascii')));
