import { compared } from './extraction/extraction.rules.js';
import type { Resolution } from './candidates.types.js';

/** A statement as it is compared. */
export interface Statement {
  id: string;
  value: string;
  /** Hexadecimal digests of entity and key, and of all three. */
  name: string;
  content: string;
  /** Of a fact: whether everybody sees it. */
  is_public?: boolean;
}

/** How a statement stands to what is there. */
export interface Standing {
  resolution: Resolution;
  duplicateOf: string | null;
  conflictsWith: string[];
}

/** Ids that one statement names at most. */
const MAX_NAMED = 20;

/**
 * In this order: the same content before it in the list, or in a pending candidate, or in a fact; then another value
 * under the same name.
 * @param known facts and pending candidates by the digest of their name
 */
export function standingsOf(list: readonly Statement[], known: ReadonlyMap<string, readonly Statement[]>): Standing[] {
  const first = new Map<string, Statement>();
  const byName = new Map<string, Statement[]>();
  for (const one of list) {
    if (first.has(one.content)) continue;
    first.set(one.content, one);
    byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  }
  return list.map((one) => {
    const others = known.get(one.name) ?? [];
    const twin = others.find((other) => saysTheSame(other, one)) ?? twinBefore(first, one);
    if (twin) return { resolution: 'duplicate', duplicateOf: twin.id, conflictsWith: [] };
    const rivals = [...others, ...(byName.get(one.name) ?? [])].filter(({ id }) => id !== one.id);
    const conflictsWith = rivals.slice(0, MAX_NAMED).map(({ id }) => id);
    return { resolution: rivals.length > 0 ? 'conflict' : 'new', duplicateOf: null, conflictsWith };
  });
}

const saysTheSame = (a: Statement, b: Statement): boolean =>
  a.content === b.content || compared(a.value) === compared(b.value);

function twinBefore(first: ReadonlyMap<string, Statement>, one: Statement): Statement | undefined {
  const before = first.get(one.content);
  return before === one ? undefined : before;
}
