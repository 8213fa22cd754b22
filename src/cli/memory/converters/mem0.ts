import {
  type Conversion,
  endOf,
  entityName,
  keyName,
  type Members,
  nameIn,
  newConversion,
  note,
  objectsIn,
  textOf,
  timeOf,
} from './conversion.js';

/** Whose memory it is; the first that is named. */
const OWNERS = [
  ['user', 'user_id'],
  ['agent', 'agent_id'],
  ['app', 'app_id'],
  ['run', 'run_id'],
] as const;

/**
 * What get_all answers: `{results: [{id, memory, user_id, created_at, updated_at, expiration_date, ...}]}`, or the
 * list.
 */
export function convertMem0(dump: unknown): Conversion {
  const conversion = newConversion();
  let without = 0;
  for (const item of objectsIn(dump, 'results', 'memories')) {
    const value = textOf(item.memory) ?? textOf(item.data);
    const id = nameIn(item, 'id', 'memory_id');
    if (value === undefined || id === undefined) {
      without += 1;
      continue;
    }
    const from = timeOf(item.updated_at) ?? timeOf(item.created_at);
    conversion.facts.push({
      ...{ entity: ownerOf(item), key: keyName(id), value },
      ...(from === undefined ? {} : { valid_from: from }),
      ...endOf(from, timeOf(item.expiration_date)),
    });
  }
  note(conversion, without, 'entries left out: no id or no text');
  return conversion;
}

function ownerOf(item: Members): string {
  for (const [kind, member] of OWNERS) {
    const id = nameIn(item, member);
    if (id !== undefined) return entityName(`${kind}:${id}`);
  }
  return 'mem0:memory';
}

/**
 * What history answers, or the rows of the table history: `{memory_id, old_memory, new_memory, event, created_at,
 * updated_at}`. Each change is a version; a deletion ends the last one.
 */
export function convertMem0History(dump: unknown): Conversion {
  const conversion = newConversion();
  const last = new Map<string, number>();
  const rows = objectsIn(dump, 'results', 'history').map((row) => ({
    row,
    at: timeOf(row.updated_at) ?? timeOf(row.created_at),
  }));
  let without = 0;
  let ended = 0;
  for (const { row, at } of rows.toSorted((a, b) => (a.at ?? '').localeCompare(b.at ?? ''))) {
    const id = nameIn(row, 'memory_id');
    const value = textOf(row.new_memory) ?? textOf(row.new_value);
    if (id === undefined || at === undefined) without += 1;
    else if (textOf(row.event)?.toUpperCase() === 'DELETE' || row.is_deleted === 1 || row.is_deleted === true) {
      const fact = conversion.facts[last.get(id) ?? -1];
      if (fact) Object.assign(fact, endOf(fact.valid_from, at));
      ended += 1;
    } else if (value === undefined) without += 1;
    else last.set(id, conversion.facts.push({ entity: ownerOf(row), key: keyName(id), value, valid_from: at }) - 1);
  }
  note(conversion, ended, 'deletions: the last version ends then, and stays in the history');
  note(conversion, without, 'rows left out: no memory_id, no text or no time');
  return conversion;
}
