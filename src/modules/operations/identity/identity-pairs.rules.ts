import { normalise } from './identifiers.rules.js';
import type { Evidence, EvidenceKind, EvidenceSide, EvidenceState, Identifier, Pair } from './identity.types.js';

/** What more entities than this have in common says nothing of any two of them: a shared mailbox. */
export const MAX_SHARED = 10;

interface Pairs {
  /** In the order of their names. */
  pairs: Pair[];
  /** How many identifiers more than {@link MAX_SHARED} entities have. */
  tooCommon: number;
}

/** Names of two entities in the order of their UTF-8 bytes, as the database sorts them. */
export const inOrder = (a: string, b: string): [string, string] => (compareBytes(a, b) <= 0 ? [a, b] : [b, a]);

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** @param kinds only evidence of these */
export function findPairs(identifiers: readonly Identifier[], kinds: readonly EvidenceKind[]): Pairs {
  const pairs = new Map<string, Pair>();
  let tooCommon = 0;
  for (const { kind, sides } of groupsOf(identifiers, kinds)) {
    if (sides.length > MAX_SHARED) tooCommon += 1;
    else for (const [first, second] of twosOf(sides)) addEvidence(pairs, { kind, sides: [first, second] });
  }
  const all = [...pairs.values()];
  return { pairs: all.sort((a, b) => compareBytes(a.entity, b.entity) || compareBytes(a.other, b.other)), tooCommon };
}

/** The entities of each identifier, each once, in the order of their names. */
function groupsOf(identifiers: readonly Identifier[], kinds: readonly EvidenceKind[]) {
  const groups = new Map<string, { kind: EvidenceKind; byEntity: Map<string, EvidenceSide> }>();
  for (const { value, ...side } of identifiers) {
    const found = normalise({ key: side.key, value });
    if (!found || !kinds.includes(found.kind)) continue;
    const name = `${found.kind} ${found.name}`;
    const group = groups.get(name) ?? { kind: found.kind, byEntity: new Map<string, EvidenceSide>() };
    groups.set(name, group);
    if (!group.byEntity.has(side.entity)) group.byEntity.set(side.entity, side);
  }
  return [...groups.values()].map(({ kind, byEntity }) => ({
    kind,
    sides: [...byEntity.values()].sort((a, b) => compareBytes(a.entity, b.entity)),
  }));
}

const twosOf = (sides: readonly EvidenceSide[]): [EvidenceSide, EvidenceSide][] =>
  sides.flatMap((first, place) =>
    sides.slice(place + 1).map((second): [EvidenceSide, EvidenceSide] => [first, second]),
  );

function addEvidence(pairs: Map<string, Pair>, evidence: Evidence): void {
  const [{ entity }, { entity: other }] = evidence.sides;
  const name = JSON.stringify([entity, other]);
  const pair = pairs.get(name);
  if (pair) pair.evidence.push(evidence);
  else pairs.set(name, { entity, other, evidence: [evidence] });
}

/** What has become of an evidence. @param now the identifiers that its entities have now */
export function stateOf({ kind, sides }: Evidence, now: readonly Identifier[]): EvidenceState {
  const [first, second] = sides.map((side) => namesAt(side, kind, now)) as [Set<string>, Set<string>];
  if (first.size === 0 || second.size === 0) return 'gone';
  return [...first].some((name) => second.has(name)) ? 'stands' : 'changed';
}

function namesAt({ entity, source, key }: EvidenceSide, kind: EvidenceKind, now: readonly Identifier[]): Set<string> {
  const there = now.filter((one) => one.entity === entity && one.source === source && one.key === key);
  return new Set(
    there.flatMap((one) => {
      const found = normalise(one);
      return found?.kind === kind ? [found.name] : [];
    }),
  );
}

/** Of all evidence of a pair: one that stands is enough. */
export function stateOfAll(states: readonly EvidenceState[]): EvidenceState {
  if (states.includes('stands')) return 'stands';
  return states.includes('changed') ? 'changed' : 'gone';
}
