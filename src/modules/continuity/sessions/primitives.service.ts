import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { lockToCopy } from '../../../common/tenancy/copied-texts.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { PrimitiveConflict } from './continuity.problems.js';
import type { Pin, Primitive } from './continuity.types.js';
import { HomesStore } from './journal/homes.store.js';
import { JournalService } from './journal/journal.service.js';
import { PinsService } from './pins.service.js';
import type { PrimitiveList, PrimitivePin, PrimitiveQuery, PrimitiveRecord, PrimitiveSent } from './primitives.dto.js';
import { changeOf, issueWith } from './primitives.rules.js';
import { PrimitivesStore, type PrimitiveName } from './primitives.store.js';

/** The named durable items of agents, by compare-and-set. */
@Injectable()
export class PrimitivesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly homes: HomesStore,
    private readonly store: PrimitivesStore,
    private readonly pins: PinsService,
    private readonly journal: JournalService,
    private readonly outbox: Outbox,
  ) {}

  list(caller: TenantCaller, agentId: string, query: PrimitiveQuery): Promise<PrimitiveList> {
    const { limit, cursor, ...filter } = query;
    if (filter.history && filter.name === undefined) throw invalid('query.name', 'is needed with history');
    const after = decodeCursor(cursor, ['text', 'text', 'integer']);
    return this.tenancy.run(caller.tenantId, async () => {
      const homeId = await this.homes.find(agentId);
      const rows = homeId === undefined ? [] : await this.store.find(homeId, filter, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.kind, row.name, -row.version]);
      return { primitives: page.map((row) => recordOf(agentId, row, caller.tenantId)), next_cursor };
    });
  }

  /** @throws ValidationFailed, PrimitiveConflict */
  write(caller: TenantCaller, agentId: string, sent: PrimitiveSent): Promise<PrimitiveRecord> {
    const issue = issueWith(sent);
    if (issue) throw invalid(issue.path, issue.message);
    return this.tenancy.run(caller.tenantId, async () => {
      // What is not sent is copied from the version before, with the passages that it pinned.
      await lockToCopy(this.tenancy);
      const name = { homeId: await this.homes.hold(agentId), kind: sent.kind, name: sent.name };
      const before = await this.store.findNewest(name);
      const expected = sent.expectedVersion ?? 0;
      if (expected !== (before?.version ?? 0)) throw conflictOf(name, expected, before);
      const isWritten = await this.store.advance(name, expected, {
        ...contentOf(sent, before),
        pins: sent.pins ? await this.pins.resolve(sent.pins, before?.pins ?? []) : (before?.pins ?? []),
        retired: sent.retired ?? false,
        recordedBy: caller.principal,
        reason: sent.reason ?? null,
      });
      const after = await this.store.findNewest(name);
      if (!isWritten || !after) throw conflictOf(name, expected, after);
      await this.publish(caller, agentId, before, after);
      return recordOf(agentId, after, caller.tenantId);
    });
  }

  private async publish(
    caller: TenantCaller,
    agentId: string,
    before: Primitive | undefined,
    { kind, name, version, retired, reason }: Primitive,
  ): Promise<void> {
    const data = { kind, name, version, change: changeOf(before?.retired, retired), reason };
    const subject = `${kind}/${name}`;
    await this.journal.append(agentId, {
      type: 'primitive_changed',
      subject,
      data,
      source: 'continuity',
      actor: caller.principal,
    });
    this.outbox.emit({
      kind: 'primitive.changed',
      subject,
      data: { agentId, ...data, actor: caller.principal },
    });
  }
}

/** What is sent, or what the version before said where nothing is. */
const contentOf = ({ content }: PrimitiveSent, before?: Primitive): Pick<Primitive, 'text' | 'data'> =>
  content
    ? { text: content.text ?? null, data: content.data ?? null }
    : { text: before?.text ?? null, data: before?.data ?? null };

function conflictOf({ kind, name }: PrimitiveName, expectedVersion: number, actual?: Primitive): PrimitiveConflict {
  const remedy = !actual
    ? 'There is no such primitive; leave expectedVersion out to create it'
    : `It is at version ${actual.version}${actual.retired ? ', retired' : ''}; read it and send expectedVersion ${actual.version} to replace it`;
  return new PrimitiveConflict(
    { kind, name, expectedVersion, actualVersion: actual?.version ?? 0, retired: actual?.retired ?? false },
    remedy,
  );
}

/** A primitive as it is shown. */
export const recordOf = (agentId: string, row: Primitive, tenantId: string): PrimitiveRecord => ({
  agentId,
  kind: row.kind,
  name: row.name,
  version: row.version,
  content: { text: row.text, data: row.data },
  pins: row.pins.map((pin) => pinRecordOf(pin, tenantId)),
  retired: row.retired,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  updatedBy: row.recordedBy,
  updatedAt: row.recordedAt.toISOString(),
  reason: row.reason,
});

const NOTHING_PINNED = {
  chunkId: null,
  corpusId: null,
  docId: null,
  docVersion: null,
  contentHash: null,
  source: null,
  answerId: null,
  answerVersion: null,
};

function pinRecordOf(pin: Pin, tenantId: string): PrimitivePin {
  const { note } = pin;
  const pinnedAt = pin.pinnedAt.toISOString();
  if ('answerId' in pin) {
    const { answerId, answerVersion } = pin;
    return { ...NOTHING_PINNED, answerId, answerVersion, note, pinnedAt };
  }
  const { chunkId, corpusId, docId, docVersion, contentHash, ownerTenantId } = pin;
  const source = ownerTenantId === tenantId ? 'tenant' : 'commons';
  return { ...NOTHING_PINNED, chunkId, corpusId, docId, docVersion, contentHash, source, note, pinnedAt };
}
