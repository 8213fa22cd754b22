import { describe, expect, it } from 'vitest';
import { completeVersion, contentDigest } from './sync-digests.rules.js';
import { isReached, namesOf } from './sync-ids.rules.js';
import { joinVectors } from './sync-merge.rules.js';
import { findMergeFault, planRecord, type PlannedVersion } from './sync-plan.rules.js';
import type { IncomingVersion, KeptVersion, LocalState, RecordCollection, SyncContent } from './sync-record.types.js';
import { FULL_REACH, type SyncReach } from './sync.types.js';

/** The same numbers every time (mulberry32). */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

type Kept = KeptVersion & { content: SyncContent | null };
interface Entry {
  versions: Kept[];
  local: SyncContent | null;
}

/** What the services do, without a database. */
class Model {
  readonly entries = new Map<string, Entry>();
  private writes = 0;

  constructor(readonly origin: string) {}

  get holds(): string[][] {
    return [...this.entries.values()].flatMap(({ versions, local }) =>
      versions[0]?.target === 'holds' && local?.['released_at'] === null ? [local['entity_prefixes'] as string[]] : [],
    );
  }

  isPinned = (entity: string): boolean => this.holds.some((prefixes) => prefixes.some((one) => entity.startsWith(one)));

  write(target: RecordCollection, parts: string[], content: SyncContent | null): void {
    const name = JSON.stringify([target, ...parts]);
    const before = this.entries.get(name)?.versions ?? [];
    if (content === null && (this.entries.get(name)?.local ?? null) === null) return;
    this.writes += 1;
    const digest = content === null ? null : contentDigest(content);
    const version = completeVersion({
      ...{ target, parts, writer: this.origin, seq: this.writes, isDeleted: content === null, contentDigest: digest },
      vector: { ...joinVectors(before.map(({ vector }) => vector)), [this.origin]: this.writes },
    });
    const names = before[0]?.names ?? namesOf(target, parts, content);
    const kept = { ...version, names, content, position: 0, state: 'applied' as const, localDigest: digest };
    this.entries.set(name, { versions: [kept], local: content });
  }

  /** What a pull with that reach brings: holds and deletions first. */
  take(other: Model, reach: SyncReach): void {
    const sent = [...other.entries.values()].flatMap(({ versions }) => versions).filter((one) => isReached(one, reach));
    const order = (one: Kept) => (one.target === 'holds' ? 0 : one.isDeleted ? 1 : 2);
    for (const version of sent.toSorted((a, b) => order(a) - order(b))) this.merge([version]);
    this.free();
  }

  /** Looks again at what holds kept. */
  free(): void {
    for (const { versions } of this.entries.values())
      if (versions.some(({ state }) => state === 'held')) this.merge(versions);
  }

  private merge(incoming: readonly IncomingVersion[]): void {
    const { target, parts } = incoming[0]!;
    const name = JSON.stringify([target, ...parts]);
    const entry = this.entries.get(name) ?? { versions: [], local: null };
    const plan = planRecord({ kept: entry.versions, local: stateOf(entry.local, target, parts) }, incoming, {
      holds: this.holds,
      unreleasable: new Set(),
    });
    const contents = new Map([...incoming, ...entry.versions].map((one) => [one.digest, (one as Kept).content]));
    const local =
      plan.write === 'none' ? entry.local : plan.write === 'delete' ? null : contents.get(plan.winner.digest)!;
    const digest = local === null ? null : contentDigest(local);
    const keep = (one: PlannedVersion): Kept => ({
      ...one,
      content: contents.get(one.digest) ?? null,
      position: 0,
      localDigest: digest,
    });
    this.entries.set(name, { versions: plan.versions.map(keep), local });
  }

  digests(): string[] {
    return [...this.entries.values()].flatMap(({ versions }) => versions.map(({ digest }) => digest)).sort();
  }
}

const stateOf = (content: SyncContent | null, target: RecordCollection, parts: readonly string[]): LocalState =>
  content === null
    ? { kind: 'absent' }
    : { kind: 'present', content, names: namesOf(target, parts, content), digest: contentDigest(content) };

const holdOf = (id: string, prefix: string, released_at: string | null): SyncContent => ({
  entity_prefixes: [prefix],
  hold_id: id,
  released_at,
});

const ENTITIES = ['open:a', 'open:b', 'secret:a'];

function live(seed: number, models: readonly Model[], reach: SyncReach): Set<string> {
  const random = seeded(seed);
  const placed = new Set<string>();
  for (let step = 0; step < 60; step += 1) {
    const model = models[random(3)]!;
    const entity = ENTITIES[random(ENTITIES.length)]!;
    const what = random(10);
    if (what < 4) model.write('facts', [entity, `k${random(2)}`], { entity, value: `${random(4)}` });
    else if (what < 6) {
      if (!model.isPinned(entity)) model.write('facts', [entity, `k${random(2)}`], null);
    } else if (what === 6) {
      const id = `hold-${step}`;
      model.write('holds', [id], holdOf(id, entity, null));
      placed.add(id);
    } else if (what === 7) {
      const active = [...model.entries.values()].find(
        ({ versions, local }) => versions[0]!.target === 'holds' && local?.['released_at'] === null,
      );
      const id = active?.versions[0]!.parts[0];
      if (active && id !== undefined)
        model.write('holds', [id], { ...active.local, released_at: `by ${model.origin}` });
      model.free();
    } else {
      // The third is cut off most of the time, and may only ever see a part.
      const other = models[random(3)]!;
      const isBetween = models.indexOf(model) < 2 && models.indexOf(other) < 2;
      if (isBetween || step % 20 === 0) model.take(other, isBetween ? FULL_REACH : reach);
    }
  }
  return placed;
}

/** Who pulls from whom. */
const PAIRS = [0, 1, 2].flatMap((a) => [0, 1, 2].filter((b) => a !== b).map((b) => [a, b] as const));

function heal(models: readonly Model[], reach: (a: number, b: number) => SyncReach): void {
  for (let round = 0; round < 3; round += 1) for (const [a, b] of PAIRS) models[a]!.take(models[b]!, reach(a, b));
}

/** All holds are there; what has a deletion among its versions is deleted, unless a hold keeps it. */
function expectKept(model: Model, placed: ReadonlySet<string>, seed: number): void {
  for (const id of placed) expect(model.entries.get(JSON.stringify(['holds', id]))?.local).toBeTruthy();
  for (const [name, { versions, local }] of model.entries) {
    const isGone = versions.some(({ isDeleted }) => isDeleted);
    const [entity] = versions[0]!.parts;
    if (isGone && !model.isPinned(entity!)) expect(local, `seed ${seed}: ${name}`).toBeNull();
    if (!isGone && versions[0]!.target === 'facts') expect(local, `seed ${seed}: ${name}`).not.toBeNull();
  }
}

function expectWithin(model: Model, own: ReadonlySet<string>, reach: SyncReach): void {
  for (const { versions } of model.entries.values())
    for (const version of versions) expect(own.has(version.digest) || isReached(version, reach)).toBe(true);
}

describe('replicas that write while they are apart', () => {
  it('are equal once they have met; holds are kept, and what was deleted stays so', () => {
    for (let seed = 1; seed <= 1000; seed += 1) {
      const models = ['x', 'y', 'z'].map((origin) => new Model(origin));
      const placed = live(seed, models, FULL_REACH);
      heal(models, () => FULL_REACH);
      expect(models[1]!.digests(), `seed ${seed}`).toEqual(models[0]!.digests());
      expect(models[2]!.digests(), `seed ${seed}`).toEqual(models[0]!.digests());
      for (const model of models) expectKept(model, placed, seed);
      for (const [name, entry] of models[0]!.entries) {
        const other = models[1]!.entries.get(name)!;
        const isHeld = [...entry.versions, ...other.versions].some(({ state }) => state === 'held');
        if (!isHeld && entry.versions[0]!.target === 'facts') expect(other.local).toEqual(entry.local);
      }
    }
  });

  it('let nothing over a prefix that is not allowed', () => {
    const reach: SyncReach = { ...FULL_REACH, peerId: 'z', prefixes: ['open:'] };
    for (let seed = 1; seed <= 300; seed += 1) {
      const models = ['x', 'y', 'z'].map((origin) => new Model(origin));
      live(seed, models, reach);
      const own = new Set(models[2]!.digests());
      heal(models, (a, b) => (a === 2 || b === 2 ? reach : FULL_REACH));
      expectWithin(models[2]!, own, reach);
      const open = (model: Model) =>
        [...model.entries.values()]
          .flatMap(({ versions }) => versions)
          .filter((one) => isReached(one, reach))
          .map(({ digest }) => digest)
          .sort();
      expect(open(models[2]!), `seed ${seed}`).toEqual(open(models[0]!));
    }
  });
});

describe('what becomes of a version', () => {
  const of = (vector: Record<string, number>, content: SyncContent | null, writer: string): IncomingVersion => ({
    ...completeVersion({
      ...{ target: 'facts', parts: ['e', 'k'], vector, writer, seq: vector[writer]!, isDeleted: content === null },
      contentDigest: content === null ? null : contentDigest(content),
    }),
    names: ['e'],
    content,
  });
  const one = of({ a: 1 }, { value: '1' }, 'a');
  const kept = (version: IncomingVersion): KeptVersion => ({
    ...version,
    ...{ position: 1, state: 'applied', localDigest: version.contentDigest },
  });
  const here = { kept: [kept(one)], local: stateOf({ value: '1' }, 'facts', ['e', 'k']) };
  const free = { holds: [], unreleasable: new Set<string>() };
  const verdictOf = (version: IncomingVersion, holds: string[][] = [], before = here) =>
    planRecord(before, [version], { ...free, holds }).verdicts.get(version.digest);

  it('is its verdict', () => {
    expect(verdictOf(one)).toBe('skip_same');
    expect(verdictOf(of({ a: 2 }, { value: '2' }, 'a'))).toBe('apply');
    expect(verdictOf(of({ b: 1 }, { value: '2' }, 'b'))).toBe('conflict_kept');
    expect(verdictOf(of({ b: 1 }, { value: '1' }, 'b'))).toBe('apply');
    expect(verdictOf(of({ a: 1, b: 1 }, null, 'b'))).toBe('tombstone');
    expect(verdictOf(of({ a: 1, b: 1 }, null, 'b'), [['e']])).toBe('refused_hold');
    expect(verdictOf(of({ a: 1, b: 1 }, null, 'b'), [[]])).toBe('refused_hold');
    expect(verdictOf(of({ a: 1, b: 1 }, null, 'b'), [['f']])).toBe('tombstone');
    expect(verdictOf(of({ a: 2 }, { value: '2' }, 'a'), [['e']])).toBe('apply');
  });

  it('is refused where the next write here would name more origins than a vector may', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`o${n}`, 1]));
    const faultOf = (vector: Record<string, number>, origin = 'a', before = here) =>
      findMergeFault(before, [of(vector, { value: '2' }, Object.keys(vector)[0]!)], origin);
    expect([faultOf({ ...many(255), a: 1 }), faultOf(many(255))]).toEqual([null, null]);
    expect(faultOf({ ...many(255), a: 1 }, 'b')).toContain('256 origins');
    const long = of({ ...many(256), a: 1 }, { value: '1' }, 'a');
    expect(faultOf({ a: 1 }, 'a', { ...here, kept: [kept(long)] })).toBeNull();
  });

  it('of an incident is kept from being deleted', () => {
    const withheld = { ...here, local: { kind: 'withheld' as const } };
    expect(verdictOf(of({ a: 1, b: 1 }, null, 'b'), [], withheld)).toBe('refused_hold');
  });
});
