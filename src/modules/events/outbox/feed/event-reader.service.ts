import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { EventPosition, StoredEvent } from '../outbox.types.js';
import { EventsStore } from './events.store.js';

/** Reads the outbox of a tenant in its order, for modules that present it in their own form. */
@Injectable()
export class EventReaderService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: EventsStore,
  ) {}

  /** The next events after a position, oldest first: only such that no later commit can come before. */
  after(tenantId: string, position: EventPosition, limit: number): Promise<StoredEvent[]> {
    return this.tenancy.run(tenantId, () => this.store.list({}, position, limit));
  }

  /** Where everything that is certain by now lies behind. */
  line(tenantId: string): Promise<EventPosition> {
    return this.tenancy.run(tenantId, () => this.store.line());
  }

  /** Whether a position can be one of this database. */
  isPast(tenantId: string, position: EventPosition): Promise<boolean> {
    return this.tenancy.run(tenantId, () => this.store.isPast(position));
  }
}
