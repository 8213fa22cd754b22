import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { readAs } from '../../../common/fields/contract.pipe.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { JournalAppended, JournalEventSent, JournalList, JournalQuery, JournalRecord } from './journal.dto.js';
import { POSTED_CLASSES } from './journal/journal-data.dto.js';
import { JournalService } from './journal/journal.service.js';
import type { JournalDraft, JournalEntry } from './journal/journal.types.js';

/** Clocks of senders run ahead of ours by as much. */
const LEEWAY_MS = 5 * 60_000;

/** The journal as its routes show it and take to it. */
@Injectable()
export class JournalRoutesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly journal: JournalService,
    private readonly outbox: Outbox,
  ) {}

  list(caller: TenantCaller, agentId: string, query: JournalQuery): Promise<JournalList> {
    const { limit, cursor, type, subject, from, to, order } = query;
    if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to))
      throw invalid('query.to', 'must be later than from');
    const filter = { type, subject, fromMs: msOf(from), toMs: msOf(to) };
    const page = {
      newestFirst: order === 'newest',
      after: decodeCursor(cursor, ['integer'])?.[0],
      limit: limit + 1,
    };
    return this.tenancy.run(caller.tenantId, async () => {
      const entries = await this.journal.find(agentId, filter, page);
      const { page: shown, next_cursor } = takePage(entries, limit, (entry) => [entry.seq]);
      return { entries: shown.map(recordOf), next_cursor };
    });
  }

  /** @throws ValidationFailed naming the member; JournalEventDiffers */
  record(caller: TenantCaller, agentId: string, sent: JournalEventSent): Promise<JournalAppended> {
    const draft = draftOf(sent, caller.principal);
    return this.tenancy.run(caller.tenantId, async () => {
      const { entry, duplicate } = await this.journal.append(agentId, draft);
      const { seq, entryId, type, subject, data } = entry;
      if (!duplicate)
        this.outbox.emit({
          kind: 'journal.event_recorded',
          subject: entryId,
          data: { agentId, seq, type, subject, data },
        });
      return { agentId, duplicate, entry: recordOf(entry) };
    });
  }
}

function draftOf({ type, data, eventId, occurredAt }: JournalEventSent, actor: string): JournalDraft {
  const at = occurredAt === undefined ? undefined : new Date(occurredAt);
  if (at && at.getTime() > Date.now() + LEEWAY_MS) throw invalid('body.occurredAt', 'must not be in the future');
  const common = { source: 'api' as const, actor, eventId, occurredAt: at };
  switch (type) {
    case 'watch_alert': {
      const facts = readAs(POSTED_CLASSES[type], data, 'body.data');
      return { ...common, type, subject: facts.watchId, data: facts };
    }
    case 'proof_completed': {
      const facts = readAs(POSTED_CLASSES[type], data, 'body.data');
      return { ...common, type, subject: facts.jobId, data: facts };
    }
    case 'schema_adopted': {
      const facts = readAs(POSTED_CLASSES[type], data, 'body.data');
      return { ...common, type, subject: facts.name, data: facts };
    }
  }
}

export const recordOf = ({ occurredAt, recordedAt, ...entry }: JournalEntry): JournalRecord => ({
  ...entry,
  occurredAt: occurredAt.toISOString(),
  recordedAt: recordedAt.toISOString(),
});

const msOf = (time: string | undefined): number | undefined => (time === undefined ? undefined : Date.parse(time));
