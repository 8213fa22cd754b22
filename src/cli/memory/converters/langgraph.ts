import {
  type Conversion,
  entityName,
  isMembers,
  keyName,
  nameIn,
  newConversion,
  note,
  objectsIn,
  textOf,
  timeOf,
} from './conversion.js';

/** Items of a store: `[{namespace: ["memories", "ada"], key, value: {...}, created_at, updated_at}]`, or `{items}`. */
export function convertLangGraph(dump: unknown): Conversion {
  const conversion = newConversion();
  let without = 0;
  for (const item of objectsIn(dump, 'items')) {
    // The table of the store in PostgreSQL has it as text with dots.
    const namespace = Array.isArray(item.namespace)
      ? item.namespace.map(String).join('/')
      : (nameIn(item, 'namespace', 'prefix')?.replaceAll('.', '/') ?? '');
    const key = nameIn(item, 'key');
    if (key === undefined || item.value === undefined || item.value === null) {
      without += 1;
      continue;
    }
    const from = timeOf(item.updated_at) ?? timeOf(item.created_at);
    conversion.facts.push({
      ...{
        entity: entityName(namespace === '' ? 'langgraph:store' : namespace),
        key: keyName(key),
        value: valueOf(item.value),
      },
      ...(from === undefined ? {} : { valid_from: from }),
    });
  }
  note(conversion, without, 'items left out: no key or no value');
  return conversion;
}

/** A value of one text is that text; any other is kept as JSON. */
function valueOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const members = isMembers(value) ? Object.values(value) : [];
  return members.length === 1 && textOf(members[0]) !== undefined ? (members[0] as string) : JSON.stringify(value);
}
