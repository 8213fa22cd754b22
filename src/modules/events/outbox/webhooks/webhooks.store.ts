import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import {
  TenantRepository,
  type RowLock,
  type Values,
  type Where,
} from '../../../../common/tenancy/tenant-repository.js';
import { WebhookDeliveryRow } from './webhook-delivery.entity.js';
import { WebhookEndpointRow } from './webhook-endpoint.entity.js';

/** How long everything is signed with the secret before a rotation too. */
const OVERLAP = `interval '24 hours'`;

/** Secrets before the present one that sign as well, at most; each is a signature in a header. */
const MAX_EARLIER = 8;

/** Those before a rotation whose time is not over, the newest first. */
const STILL_VALID = `(select coalesce(jsonb_agg(kept.entry), '[]') from (
  select e.entry from jsonb_path_query(jsonb_build_array(jsonb_build_object('secret', previous_secret, 'until', previous_until)) || earlier_secrets, '$[*]')
    with ordinality as e(entry, place)
  where (e.entry ->> 'until')::timestamptz > now() order by e.place limit ${MAX_EARLIER - 1}) kept)`;

/** Webhook endpoints of the open unit of work's tenant. */
@Injectable()
export class WebhooksStore {
  private readonly endpoints: TenantRepository<WebhookEndpointRow>;
  private readonly deliveries: TenantRepository<WebhookDeliveryRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.endpoints = new TenantRepository(tenancy, WebhookEndpointRow);
    this.deliveries = new TenantRepository(tenancy, WebhookDeliveryRow);
  }

  /** How many the tenant has, not counting those of watches; until the unit of work ends no other is added. */
  async countLocked(): Promise<number> {
    await this.tenancy.lock('webhooks');
    return this.endpoints.count({ deletedAt: IsNull(), watchId: IsNull() });
  }

  record(endpoint: Values<WebhookEndpointRow>): Promise<WebhookEndpointRow> {
    return this.endpoints.insert(endpoint);
  }

  list(after: [endpointId: string] | undefined, limit: number): Promise<WebhookEndpointRow[]> {
    return this.endpoints.list({ deletedAt: IsNull() }, { order: { endpointId: 'asc' }, after, take: limit });
  }

  find(endpointId: string, lock?: RowLock): Promise<WebhookEndpointRow | undefined> {
    return this.endpoints.find({ endpointId, deletedAt: IsNull() }, lock);
  }

  /** Endpoints end with what is still to be sent to them. @returns those that were there */
  withdraw(which: { endpointId: string } | { watchId: string }, principal: string): Promise<WebhookEndpointRow[]> {
    return this.end({ ...which, deletedAt: IsNull() }, { deletedAt: () => 'now()', deletedBy: principal });
  }

  /** @returns undefined when there is no such endpoint */
  async rotate(endpointId: string, secret: string): Promise<WebhookEndpointRow | undefined> {
    const previous = { previousSecret: () => 'secret', previousUntil: () => `now() + ${OVERLAP}` };
    const rotated = { earlierSecrets: () => STILL_VALID, ...previous, secret };
    return (await this.endpoints.update({ endpointId, deletedAt: IsNull() }, rotated))[0];
  }

  /** Nothing more is sent to it; what waits is given up. False when it was so already. */
  async disable(endpointId: string, reason: string): Promise<boolean> {
    const disabled = { disabledAt: () => 'now()', disabledReason: reason };
    return (await this.end({ endpointId, disabledAt: IsNull() }, disabled)).length > 0;
  }

  private async end(
    where: Where<WebhookEndpointRow>,
    values: Values<WebhookEndpointRow>,
  ): Promise<WebhookEndpointRow[]> {
    const ended = await this.endpoints.update(where, values);
    const waiting = { endpointId: In(ended.map(({ endpointId }) => endpointId)), state: 'pending' as const };
    const givenUp = { state: 'dead' as const, finishedAt: () => 'now()', leasedUntil: null };
    if (ended.length > 0) await this.deliveries.updateMany(waiting, givenUp);
    return ended;
  }
}
