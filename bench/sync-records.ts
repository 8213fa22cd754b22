import { completeVersion, contentDigest, named } from '../src/modules/memory/sync/sync-digests.rules.js';
import { collectionOf, wireIdOf } from '../src/modules/memory/sync/sync-ids.rules.js';
import type { RecordCollection, SyncContent } from '../src/modules/memory/sync/sync-record.types.js';

const MOMENT = '2026-01-01T00:00:00.000Z';
const MICROS = 1_767_225_600_000_000;

interface Draft {
  target: RecordCollection;
  parts: string[];
  content: SyncContent;
}

/** A record as a peer sends it; number by number the same for the same writer. */
export function recordOf(writer: string, number: number): object {
  const { target, parts, content } = draftOf(writer, number);
  const isDeleted = number % 13 === 5 && target !== 'holds';
  const version = completeVersion({
    ...{ target, parts, writer, seq: number + 1, vector: { [writer]: number + 1 }, isDeleted },
    contentDigest: isDeleted ? null : contentDigest(content),
  });
  return {
    collection: collectionOf(target, isDeleted),
    id: wireIdOf(target, parts, isDeleted),
    vector: version.vector,
    origin: { writer, seq: version.seq, hash: version.contentDigest === null ? null : named(version.contentDigest) },
    deleted: isDeleted,
    content: isDeleted ? null : content,
    digest: named(version.digest),
  };
}

/** Of a hundred some sixty facts; a hold now and then, half of them released. */
function draftOf(writer: string, number: number): Draft {
  if (number % 1000 === 0) return holdOf(writer, number);
  const place = number % 20;
  if (place < 2) return entityOf(writer, number);
  if (place < 4) return edgeOf(writer, number);
  if (place < 6) return relationOf(writer, number);
  if (place < 7) return caseOf(writer, number);
  return factOf(writer, number);
}

function factOf(writer: string, number: number): Draft {
  const [entity, key] = [`entity:${writer}-${number % 5003}`, `key-${number}`];
  const value = `Note ${number}: the meeting about the wombat enclosure moved to hall ${number % 97} on floor ${number % 11}.`;
  const content = {
    ...{ entity, key, value, actor: 'bench', confidence: 1, horizon_class: 'durable' },
    ...{ tenant_hash: null, valid_from: MOMENT, valid_to: null },
  };
  return { target: 'facts', parts: [entity, key], content };
}

function entityOf(writer: string, number: number): Draft {
  const [kind, id] = ['note', `${writer}-${number}`];
  return { target: 'entities', parts: [kind, id], content: { kind, id, payload: { title: `Note ${number}` } } };
}

function edgeOf(writer: string, number: number): Draft {
  const [from_id, to_id] = [`${writer}-${number}`, `${writer}-${number + 1}`];
  const content = { from_kind: 'note', from_id, edge_kind: 'follows', to_kind: 'note', to_id, payload: { number } };
  return { target: 'edges', parts: ['note', from_id, 'follows', 'note', to_id], content };
}

function relationOf(writer: string, number: number): Draft {
  const content = {
    ...{ from_id: number, to_id: number + 1, edge_type: `cites-${writer}`, confidence: 0.5 },
    ...{ created_at_micros: MICROS, updated_at_micros: MICROS },
  };
  return { target: 'relations', parts: [`${number}`, content.edge_type, `${number + 1}`], content };
}

function caseOf(writer: string, number: number): Draft {
  const case_id = uuidOf(writer, number);
  const content = {
    ...{ case_id, task: `Move meeting ${number}`, action: 'Moved it', outcome: 'All came', context: 'Spring' },
    ...{
      lesson: null,
      success: true,
      reward: 1,
      tags: ['bench'],
      recorded_by: 'bench',
      created_at: MOMENT,
      screened: [],
    },
  };
  return { target: 'cases', parts: [case_id], content };
}

function holdOf(writer: string, number: number): Draft {
  const hold_id = uuidOf(writer, number);
  const isReleased = number % 2000 === 0;
  const content = {
    ...{ hold_id, reason: `Matter ${number}`, entity_prefixes: [`matter:${writer}-${number}`], placed_by: 'bench' },
    ...{ placed_at: MOMENT, released_by: isReleased ? 'bench' : null, released_at: isReleased ? MOMENT : null },
  };
  return { target: 'holds', parts: [hold_id], content };
}

const uuidOf = (writer: string, number: number): string =>
  `${Buffer.from(writer.padEnd(4)).toString('hex').slice(0, 8)}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
