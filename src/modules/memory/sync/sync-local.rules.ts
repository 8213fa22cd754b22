import { contentDigest } from './sync-digests.rules.js';
import { namesOf } from './sync-ids.rules.js';
import type { LocalState, RecordCollection, SyncContent } from './sync-record.types.js';

/** A row of the memory's tables, as SyncLocalStore reads it, with `withheld` and `absent` where they are so. */
export interface LocalRow {
  place: string;
  absent?: boolean;
  withheld?: boolean;
  [column: string]: unknown;
}

const timeOf = (value: unknown): string | null => {
  if (value === null || value === undefined) return null;
  // Without end, or before all time: no time that JSON has.
  if (!(value instanceof Date)) throw new Error('the time has no form in JSON');
  return value.toISOString();
};

type Builder = (row: LocalRow, parts: readonly string[]) => SyncContent;

/** The content of each collection, of a row and the id (docs/formats/sync.md). */
const CONTENTS: Readonly<Record<RecordCollection, Builder>> = {
  facts: (row, [entity, key]) => ({
    ...{ actor: row['actor'], confidence: row['confidence'], entity, horizon_class: row['horizon_class'], key },
    ...{ tenant_hash: row['tenant_hash'], valid_from: timeOf(row['valid_from']), valid_to: timeOf(row['valid_to']) },
    value: row['value'],
  }),
  entities: (row, [kind, id]) => ({ id, kind, payload: row['payload'] }),
  edges: (row, [from_kind, from_id, edge_kind, to_kind, to_id]) => ({
    ...{ edge_kind, from_id, from_kind, payload: row['payload'], to_id, to_kind },
  }),
  relations: (row, [from, edge_type, to]) => ({
    ...{ confidence: row['confidence'], created_at_micros: Number(row['created_at_micros']), edge_type },
    ...{ from_id: Number(from), to_id: Number(to), updated_at_micros: Number(row['updated_at_micros']) },
  }),
  cases: (row, [case_id]) => ({
    ...{ action: row['action'], case_id, context: row['context'], created_at: timeOf(row['created_at']) },
    ...{ lesson: row['lesson'], outcome: row['outcome'], recorded_by: row['recorded_by'], reward: row['reward'] },
    ...{ screened: row['screened'], success: row['success'], tags: row['tags'], task: row['task'] },
  }),
  holds: (row, [hold_id]) => ({
    ...{ entity_prefixes: row['entity_prefixes'], hold_id, placed_at: timeOf(row['placed_at']) },
    ...{ placed_by: row['placed_by'], reason: row['reason'], released_at: timeOf(row['released_at']) },
    released_by: row['released_by'],
  }),
};

/** What has no canonical form, such as a number beyond all bounds, does not leave: it counts as withheld. */
export function localStateOf(
  target: RecordCollection,
  parts: readonly string[],
  row: LocalRow | undefined,
): LocalState {
  if (!row || row.absent) return { kind: 'absent' };
  if (row.withheld) return { kind: 'withheld' };
  try {
    const content = CONTENTS[target](row, parts);
    return { kind: 'present', content, names: namesOf(target, parts, content), digest: contentDigest(content) };
  } catch {
    return { kind: 'withheld' };
  }
}
