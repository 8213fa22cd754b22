import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServerSecret } from '../sessions/server-secret.js';
import { ThrottleStore, type Allowance, type SignInSubjects } from './throttle.store.js';

/** A sign-in that may go on, whose success is still to be reported. */
export interface AdmittedSignIn {
  subjects: SignInSubjects;
  mark: number | null;
}

/**
 * Slows down clients that try keys or flood a public route, in every process at once (docs/decisions/0060). Counts are
 * kept by a keyed digest of the address, so that the database holds no addresses, and are reset after an hour without
 * attempts.
 */
@Injectable()
export class Throttle {
  constructor(
    private readonly store: ThrottleStore,
    private readonly secret: ServerSecret,
  ) {}

  /**
   * Counts an attempt to sign in, as failed until {@link succeeded} says otherwise.
   * @returns the seconds to wait instead, where it may not be tried now
   */
  async admitSignIn(address: string, tenantId: string): Promise<AdmittedSignIn | { wait: number }> {
    const key = await this.secret.keyFor('throttle');
    const subjects = {
      address: digest(key, 'address', address),
      pair: digest(key, 'pair', address, tenantId),
      tenant: digest(key, 'tenant', tenantId),
    };
    const { wait, mark } = await this.store.admitSignIn(subjects);
    return wait > 0 ? { wait } : { subjects, mark };
  }

  /** Takes the attempt back, and the failures of this address with this tenant. */
  async succeeded({ subjects, mark }: AdmittedSignIn): Promise<void> {
    await this.store.forgiveSignIn(subjects, mark);
  }

  /**
   * Counts a request of a public route.
   * @param kind a constant word for the route
   * @returns the seconds to wait, 0 when it may pass
   */
  async admitRequest(kind: string, address: string, allowance: Allowance): Promise<number> {
    const key = await this.secret.keyFor('throttle');
    return this.store.admitRequest(digest(key, 'request', kind, address), allowance);
  }
}

const digest = (key: Buffer, ...parts: string[]): Buffer =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest();
