import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { Forbidden } from '../../../common/problem/common-problems.js';
import { ApiKeysStore } from './api-keys/api-keys.store.js';
import { SeatsStore } from './seats.store.js';

/**
 * One change of a tenant's seats and keys at a time. Who waited may have lost the right to act meanwhile: two owners
 * who demote each other at one moment must not both succeed, and somebody revoked must not revoke.
 */
@Injectable()
export class OrganisationLock {
  constructor(
    private readonly seats: SeatsStore,
    private readonly keys: ApiKeysStore,
  ) {}

  /** @throws Forbidden when the caller has no longer the role it came with */
  async take(caller: TenantCaller): Promise<void> {
    await this.seats.lockOrganisation();
    const [kind, id] = caller.principal.split(':') as [string, string];
    const role = kind === 'seat' ? await this.seats.findActiveRole(id) : await this.keys.findRole(id);
    if (role !== caller.role)
      throw new Forbidden({}, 'Your seat or key was changed while this request waited; sign in again');
  }
}
