import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { EventPosition, StoredEvent } from '../outbox.types.js';
import { EventsStore, type FamilyFilter, type SearchFilter } from './events.store.js';

/** Behind all that can ever be. */
const THE_END: EventPosition = { transaction: String(2n ** 63n - 1n), position: String(2n ** 63n - 1n) };

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

  /** The newest of some families of kinds that are certain, newest first; before a position where one is given. */
  newest(
    tenantId: string,
    filter: FamilyFilter,
    before: EventPosition | undefined,
    limit: number,
  ): Promise<StoredEvent[]> {
    return this.tenancy.run(tenantId, () => this.store.listNewest(filter, before ?? THE_END, limit));
  }

  /**
   * The newest that a filter finds, newest first; before a position where one is given.
   * @returns them, and where to go on, while there may be more
   */
  search(
    tenantId: string,
    filter: SearchFilter,
    before: EventPosition | undefined,
    limit: number,
  ): Promise<{ events: StoredEvent[]; next: EventPosition | undefined }> {
    return this.tenancy.run(tenantId, () => this.store.search(filter, before ?? THE_END, limit));
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
