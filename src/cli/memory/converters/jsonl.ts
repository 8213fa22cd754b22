import {
  type Conversion,
  entityName,
  isMembers,
  keyName,
  nameIn,
  newConversion,
  NotThisFormat,
  timeOf,
} from './conversion.js';

/** A line each: `{entity, key, value}`, and where known `valid_from`, `valid_to`, `actor`. A value may be any JSON. */
export function convertJsonLines(text: string): Conversion {
  const conversion = newConversion();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const item = parse(line, index + 1);
    const [entity, key] = [nameIn(item, 'entity', 'subject'), nameIn(item, 'key', 'predicate')];
    if (entity === undefined || key === undefined || item.value === undefined || item.value === null)
      throw new NotThisFormat(`Line ${index + 1} has no entity, key and value`);
    const actor = nameIn(item, 'actor');
    const from = timeOf(item.valid_from) ?? timeOf(item.created_at);
    const until = timeOf(item.valid_to);
    conversion.facts.push({
      ...{ entity: entityName(entity), key: keyName(key) },
      value: typeof item.value === 'string' ? item.value : JSON.stringify(item.value),
      ...(actor === undefined ? {} : { actor }),
      ...(from === undefined ? {} : { valid_from: from }),
      ...(until === undefined ? {} : { valid_to: until }),
    });
  }
  return conversion;
}

function parse(line: string, number: number): Record<string, unknown> {
  try {
    const item = JSON.parse(line) as unknown;
    if (isMembers(item)) return item;
  } catch {
    // Said below, with the line.
  }
  throw new NotThisFormat(`Line ${number} is not a JSON object`);
}
