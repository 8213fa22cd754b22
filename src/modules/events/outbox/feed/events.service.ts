import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { decodeCursor, encodeCursor } from '../../../../common/fields/cursor.js';
import { invalid } from '../../../../common/problem/common-problems.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { envelopeOf } from '../outbox.rules.js';
import type { Cursor } from '../publisher/cursors.store.js';
import type { EventList, EventQuery } from './events.dto.js';
import { EventsStore } from './events.store.js';

/** The event stream of a tenant. */
@Injectable()
export class EventsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: EventsStore,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  list(caller: TenantCaller, { cursor, limit, ...filter }: EventQuery): Promise<EventList> {
    const [transaction, position] = decodeCursor(cursor, ['bigint', 'bigint']) ?? ['0', '0'];
    const after: Cursor = { transaction, position };
    return this.tenancy.run(caller.tenantId, async () => {
      if (!(await this.store.isPast(after)))
        throw invalid(
          'query.cursor',
          'is of before this server was restored, or ahead of every event of it; leave it out to start at the oldest, or name a time by since',
        );
      const found = await this.store.list(filter, after, limit + 1);
      const page = found.slice(0, limit);
      const { transaction, position } = page.at(-1) ?? after;
      const resume = encodeCursor([transaction, position]);
      const source = this.settings.process.publicUrl ?? 'svc';
      return {
        events: page.map((event) => {
          const { specversion: _version, datacontenttype: _type, ...shown } = envelopeOf(event, source);
          return shown;
        }),
        next_cursor: found.length > limit ? resume : null,
        resume_cursor: resume,
      };
    });
  }
}
