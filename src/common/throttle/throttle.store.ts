import { Injectable } from '@nestjs/common';
import { Tenancy } from '../tenancy/tenancy.js';

/** What a sign-in is counted by: the address, the address with the tenant, the tenant. */
export interface SignInSubjects {
  address: Buffer;
  pair: Buffer;
  tenant: Buffer;
}

/** Free attempts, then a wait that doubles from `firstSeconds` to `maxSeconds`. */
export interface Allowance {
  free: number;
  firstSeconds: number;
  maxSeconds: number;
}

/**
 * The counts that all processes share: reached through functions of the database alone, each call a transaction of its
 * own.
 */
@Injectable()
export class ThrottleStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** @returns the seconds to wait, or 0 and the mark by which a success is taken back */
  async admitSignIn({ address, pair, tenant }: SignInSubjects): Promise<{ wait: number; mark: number | null }> {
    const [row] = await this.tenancy.write<{ wait: number; mark: number | null }>(
      'select wait, mark from svc_admit_sign_in($1, $2, $3)',
      [address, pair, tenant],
    );
    if (!row) throw new Error('a sign-in was not counted');
    return row;
  }

  async forgiveSignIn({ address, pair, tenant }: SignInSubjects, mark: number | null): Promise<void> {
    await this.tenancy.write('select svc_sign_in_succeeded($1, $2, $3, $4)', [address, pair, tenant, mark]);
  }

  /** @returns the seconds to wait, 0 when the request may pass */
  async admitRequest(subject: Buffer, { free, firstSeconds, maxSeconds }: Allowance): Promise<number> {
    const [row] = await this.tenancy.write<{ wait: number }>('select svc_admit_request($1, $2, $3, $4) as wait', [
      subject,
      free,
      firstSeconds,
      maxSeconds,
    ]);
    if (!row) throw new Error('a request was not counted');
    return row.wait;
  }
}
