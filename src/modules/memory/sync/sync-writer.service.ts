import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../common/evidence-log/audit-trail.js';
import { HoldImportsService, type ImportedHold } from '../../governance/legal-holds/hold-imports.service.js';
import { CaseImportsService, type ImportedCase } from '../cases/case-imports.service.js';
import { FactImportsService, type ImportedFact } from '../facts/fact-imports.service.js';
import type { FactDraft } from '../facts/facts.types.js';
import { GraphImportsService, type ImportedEdge, type ImportedEntity } from '../graph/graph-imports.service.js';
import { RelationImportsService } from '../relations/relation-imports.service.js';
import type { ImportedRelation } from '../relations/relations.types.js';
import type { LocalWrite, RecordCollection } from './sync-record.types.js';
import { SyncRecordsStore } from './sync-records.store.js';

/** Records of one statement, and characters of them as JSON. */
const MAX_BATCH = 1000;
const MAX_BATCH_TEXT = 4 * 1024 * 1024;

/** Brings the tables of the memory to what sync decided, by the writers of their modules, in the open unit of work. */
@Injectable()
export class SyncWriterService {
  constructor(
    private readonly facts: FactImportsService,
    private readonly graph: GraphImportsService,
    private readonly relations: RelationImportsService,
    private readonly cases: CaseImportsService,
    private readonly holds: HoldImportsService,
    private readonly records: SyncRecordsStore,
  ) {}

  /** Holds first, then deletions, then content. @param receiptId the receipt that says so */
  async write(by: Actor, writes: readonly LocalWrite[], receiptId: string): Promise<void> {
    await this.records.moveAlone(async () => {
      for (const batch of batchesOf(writes)) {
        await this.holds.storeAll(contentsOf<ImportedHold>(batch, 'holds'), receiptId);
        await this.delete(by, batch);
        await this.store(by, batch, receiptId);
      }
    });
  }

  private async delete(by: Actor, writes: readonly LocalWrite[]): Promise<void> {
    const gone = (target: RecordCollection) =>
      writes.filter((write) => write.target === target && write.content === null).map(({ parts }) => parts);
    const edges = gone('edges').map(([from_kind, from_id, edge_kind, to_kind, to_id]) => ({
      ...{ from_kind: from_kind!, from_id: from_id!, edge_kind: edge_kind!, to_kind: to_kind!, to_id: to_id! },
    }));
    await this.graph.retireEntities(
      gone('entities').map(([kind, id]) => ({ kind: kind!, id: id! })),
      by.principal,
    );
    await this.graph.retireEdges(edges, by.principal);
    await this.facts.retireAll(
      by,
      gone('facts').map(([entity, key]) => ({ entity: entity!, key: key! })),
    );
    await this.relations.removeAll(
      gone('relations').map(([from, edge_type, to]) => ({
        from_id: Number(from),
        edge_type: edge_type!,
        to_id: Number(to),
      })),
      by.principal,
    );
    const replaced = writes.filter(({ target, content, isReplaced }) => target === 'cases' && content && isReplaced);
    await this.cases.deleteAll([...gone('cases'), ...replaced.map(({ parts }) => parts)].map(([id]) => id!));
  }

  private async store(by: Actor, writes: readonly LocalWrite[], receiptId: string): Promise<void> {
    await this.graph.storeEntities(contentsOf<ImportedEntity>(writes, 'entities'), by.principal);
    await this.graph.storeEdges(contentsOf<ImportedEdge>(writes, 'edges'), by.principal);
    const drafts: FactDraft[] = [];
    for (const fact of contentsOf<FactContent>(writes, 'facts')) drafts.push(await this.draftOf(by, fact));
    await this.facts.storeBatch(by, drafts);
    await this.relations.storeAll(contentsOf<ImportedRelation>(writes, 'relations'), by.principal);
    await this.cases.storeAll(contentsOf<ImportedCase>(writes, 'cases'), receiptId);
  }

  private draftOf(by: Actor, { tenant_hash, valid_from, valid_to, ...fact }: FactContent): Promise<FactDraft> {
    const request = {
      ...{ ...fact, private: false },
      ...(tenant_hash === null ? {} : { tenant_hash }),
      ...(valid_from === null ? {} : { valid_from }),
      ...(valid_to === null ? {} : { valid_to }),
    };
    return this.facts.draft(by, request, 'records');
  }
}

/** A fact as sync carries it. */
type FactContent = Pick<ImportedFact, 'entity' | 'key' | 'value' | 'confidence' | 'horizon_class'> & {
  actor: string;
  tenant_hash: string | null;
  valid_from: string | null;
  valid_to: string | null;
};

const contentsOf = <T>(writes: readonly LocalWrite[], of: RecordCollection): T[] =>
  writes.flatMap(({ target, content }) => (target === of && content !== null ? [content as T] : []));

/** Holds come in the first of them. */
function* batchesOf(writes: readonly LocalWrite[]): Generator<LocalWrite[]> {
  const sorted = [...writes].sort((a, b) => Number(b.target === 'holds') - Number(a.target === 'holds'));
  let batch: LocalWrite[] = [];
  let text = 0;
  for (const write of sorted) {
    const size = lengthOf(write);
    if (batch.length === MAX_BATCH || (text + size > MAX_BATCH_TEXT && batch.length > 0)) {
      yield batch;
      batch = [];
      text = 0;
    }
    batch.push(write);
    text += size;
  }
  if (batch.length > 0) yield batch;
}

/** What is large of facts is their value; of others it is bounded below what counts. */
const lengthOf = ({ content }: LocalWrite): number => {
  const value = content?.['value'];
  return typeof value === 'string' ? value.length : 0;
};
