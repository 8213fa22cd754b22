import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../evidence/sha256.js';
import { ServerSecret } from '../../../common/sessions/server-secret.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { makeNonce, RANDOM_BYTES, readNonce, REMEMBERED_SECONDS, TTL_SECONDS } from './nonce.rules.js';
import type { Nonce } from './system.dto.js';

/** `spent`: it was taken before, and would not have expired yet. */
type NonceState = 'taken' | 'spent' | 'expired' | 'unknown';

/**
 * Nonces of the sync handshake: anyone may have one, each works once (memory-daemon.md 4.7). Only those that were used
 * are kept, so that nobody takes another's place by asking for many (docs/decisions/0400).
 */
@Injectable()
export class NonceService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly secret: ServerSecret,
  ) {}

  async issue(): Promise<Nonce> {
    const nonce = makeNonce(await this.key(), nowSeconds(), randomBytes(RANDOM_BYTES));
    return { nonce, ttl_seconds: TTL_SECONDS };
  }

  /** @returns `taken` once for a nonce that was issued and has not expired */
  async spend(nonce: string): Promise<NonceState> {
    const read = readNonce(await this.key(), nonce, nowSeconds());
    if (read === 'expired' || read === 'unknown') return read;
    const [row] = await this.tenancy.write<{ fresh: boolean }>('select svc_use_nonce($1, $2) as fresh', [
      Buffer.from(sha256(read)),
      REMEMBERED_SECONDS,
    ]);
    return row!.fresh ? 'taken' : 'spent';
  }

  private key(): Promise<Buffer> {
    return this.secret.keyFor('sync nonces');
  }
}

const nowSeconds = (): number => Date.now() / 1000;
