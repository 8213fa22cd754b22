import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../../common/tenancy/tenant-repository.js';
import { WebhookAttemptRow } from './webhook-attempt.entity.js';
import { WebhookDeliveryRow } from './webhook-delivery.entity.js';
import type { DeliveryState } from './webhooks.types.js';

/** Deliveries of the open unit of work's tenant. */
@Injectable()
export class DeliveriesStore {
  private readonly deliveries: TenantRepository<WebhookDeliveryRow>;
  private readonly attempts: TenantRepository<WebhookAttemptRow>;

  constructor(tenancy: Tenancy) {
    this.deliveries = new TenantRepository(tenancy, WebhookDeliveryRow);
    this.attempts = new TenantRepository(tenancy, WebhookAttemptRow);
  }

  /** Newest first. */
  list(
    filter: { endpointId: string; state: DeliveryState | undefined },
    before: [position: string] | undefined,
    limit: number,
  ): Promise<WebhookDeliveryRow[]> {
    return this.deliveries.list(filter, { order: { position: 'desc' }, after: before, take: limit });
  }

  find(endpointId: string, deliveryId: string): Promise<WebhookDeliveryRow | undefined> {
    return this.deliveries.find({ endpointId, deliveryId });
  }

  /** Begins a new round at once. @returns undefined when one is in progress */
  async reopen(deliveryId: string): Promise<WebhookDeliveryRow | undefined> {
    const begun = { roundAttempts: 0, nextAt: () => 'now()', finishedAt: null, leasedUntil: null };
    const where = { deliveryId, state: Not<DeliveryState>('pending') };
    return (await this.deliveries.update(where, { state: 'pending', ...begun }))[0];
  }

  async recordAttempt(attempt: Omit<WebhookAttemptRow, 'tenantId'>): Promise<void> {
    await this.attempts.insertNew(attempt);
  }

  /** What follows from an attempt, unless another attempt was begun since. */
  async settle(deliveryId: string, attempt: number, state: DeliveryState, delayMs = 0): Promise<void> {
    const next = { leasedUntil: null, nextAt: () => `now() + ${delayMs} * interval '1 millisecond'` };
    const finishedAt = state === 'pending' ? null : () => 'now()';
    const where = { deliveryId, attempts: attempt, state: 'pending' as const };
    await this.deliveries.updateMany(where, { state, ...next, finishedAt });
  }
}
