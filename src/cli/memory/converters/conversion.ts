import { sha256 } from '../../../evidence/sha256.js';
import { isReserved } from '../../../modules/memory/facts/facts.rules.js';
import { MAX_ENTITY, MAX_KEY } from '../../../modules/memory/facts/facts.types.js';
import { MAX_ID, MAX_KIND } from '../../../modules/memory/graph/graph.types.js';

/** A fact of a pack, as a converter makes it. */
interface ConvertedFact {
  entity: string;
  key: string;
  value: string;
  actor?: string;
  valid_from?: string;
  valid_to?: string;
}

/** What a dump becomes: lists of a pack, and what was left out and why. */
export interface Conversion {
  facts: ConvertedFact[];
  entities: { kind: string; id: string; payload: unknown }[];
  edges: { from_kind: string; from_id: string; edge_kind: string; to_kind: string; to_id: string; payload: unknown }[];
  notes: string[];
}

export type Members = Record<string, unknown>;

/** The file is not what its format says. */
export class NotThisFormat extends Error {}

export const newConversion = (): Conversion => ({ facts: [], entities: [], edges: [], notes: [] });

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A list of objects: the value itself, or the first of these members that is one. @throws NotThisFormat */
export function objectsIn(value: unknown, ...members: string[]): Members[] {
  const name = isMembers(value) ? members.find((one) => Array.isArray(value[one])) : undefined;
  const list = name === undefined ? value : (value as Members)[name];
  if (!Array.isArray(list))
    throw new NotThisFormat(`It is neither a list nor an object with a list ${members.join(' or ')}`);
  const wrong = list.findIndex((item) => !isMembers(item));
  if (wrong >= 0) throw new NotThisFormat(`Entry ${wrong} is not an object`);
  return list as Members[];
}

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** The first of the members that is text, or a number. */
export function nameIn(item: Members, ...members: string[]): string | undefined {
  for (const member of members) {
    const value = item[member];
    if (typeof value === 'number') return String(value);
    if (textOf(value) !== undefined) return value as string;
  }
  return undefined;
}

/** A time in any form that these products write; Python writes none of the zone where it means UTC. */
export function timeOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return stamp(value < 1e11 ? value * 1000 : value);
  const text = textOf(value);
  if (text === undefined) return undefined;
  const iso = text.trim().replace(' ', 'T');
  return stamp(Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(iso) || !iso.includes('T') ? iso : `${iso}Z`));
}

function stamp(ms: number): string | undefined {
  const time = new Date(ms);
  const year = Number.isNaN(time.getTime()) ? NaN : time.getUTCFullYear();
  return year >= 0 && year <= 9999 ? time.toISOString() : undefined;
}

/** A name as entities and keys have it: what is longer ends in a digest, so that it stays the one it is. */
function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const digest = sha256(text).toString('hex').slice(0, 16);
  return `${text.slice(0, max - 17)}~${digest}`;
}

/** No entity under a reserved prefix: another product may call its things as it likes. */
export const entityName = (text: string): string => shortened(isReserved(text) ? `imported:${text}` : text, MAX_ENTITY);
export const keyName = (text: string): string => shortened(text, MAX_KEY);
export const idName = (text: string): string => shortened(text, MAX_ID);
export const kindName = (text: string): string => shortened(text, MAX_KIND);

/** Of what is counted, one note where there is any. */
export function note({ notes }: Conversion, count: number, text: string): void {
  if (count > 0) notes.push(`${count} ${text}`);
}

/** Facts of one name in the order of their times; where several have none, the last alone is taken. */
export function settle(conversion: Conversion): Conversion {
  const chains = new Map<string, ConvertedFact[]>();
  for (const fact of conversion.facts) {
    const name = JSON.stringify([fact.entity, fact.key]);
    const chain = chains.get(name);
    if (chain) chain.push(fact);
    else chains.set(name, [fact]);
  }
  let dropped = 0;
  const facts = [...chains.values()].flatMap((chain) => {
    if (chain.length === 1) return chain;
    const dated = chain.filter(({ valid_from }) => valid_from !== undefined);
    const kept = dated.length === 0 ? chain.slice(-1) : dated;
    dropped += chain.length - kept.length;
    return kept.toSorted((a, b) => (a.valid_from ?? '').localeCompare(b.valid_from ?? ''));
  });
  note(conversion, dropped, 'values without a time left out: others of the same name have one, or came later');
  return { ...conversion, facts };
}

/** The end of a validity, where it is later than the beginning. */
export const endOf = (from: string | undefined, until: string | undefined): { valid_to?: string } =>
  until !== undefined && (from === undefined || until > from) ? { valid_to: until } : {};
