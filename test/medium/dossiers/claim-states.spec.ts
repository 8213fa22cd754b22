import { blake3 } from 'hash-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { seeded } from '../../kit/seeded.js';
import { makeProject, must, publish, storeFact } from './given.js';

let daemon: TestDaemon;
let callers: DaemonCall[];
beforeAll(async () => {
  daemon = await startDaemon();
  callers = ['ada', 'bob', 'eve'].map((passport) => daemon.as({ scopes: ALL_SCOPES, passport }));
  await makeProject(callers[0]!, 'random');
});
afterAll(() => daemon.close());

const CHANGES = 1_000;
const ROUNDS = 20;
const KEYS = 60;

interface Exported {
  fact_id: string;
  entity: string;
  key: string;
  value: string;
  superseded_by?: string;
}

async function allExported(): Promise<Exported[]> {
  const facts: Exported[] = [];
  for (let cursor = ''; ;) {
    const page = await must(callers[0]!('GET', `/v1/facts/export?limit=1000${cursor}`));
    facts.push(...page.facts);
    if (!page.has_more) return facts;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

/** The second program: what is to be thought of a claim, by the rules of docs/storybooks.md and an export alone. */
async function judge(claim: any, facts: Exported[], standing: Map<string, boolean>, disputes: any[]): Promise<string> {
  if (claim.anchors.length === 0) return 'unsupported';
  if (!standing.get(claim.claim_id)) return 'stale';
  for (const { id } of claim.anchors) {
    const { entity, key, value } = facts.find((fact) => fact.fact_id === id)!;
    const says = facts.filter((fact) => !fact.superseded_by && fact.entity === entity && fact.key === key);
    if (says.some((fact) => fact.value !== value)) return 'contradicted';
  }
  const named = disputes.filter(({ a, b }) => [a, b].includes(claim.claim_id));
  return named.some(({ a, b }) => standing.get(a) && standing.get(b)) ? 'contradicted' : 'supported';
}

async function stands(claim: any, facts: Exported[]): Promise<boolean> {
  for (const { id, start, end, quote_blake3: quote } of claim.anchors) {
    const fact = facts.find((one) => one.fact_id === id);
    if (!fact || fact.superseded_by) return false;
    if (start !== null && end > fact.value.length) return false;
    const words = fact.value.slice(start ?? 0, end ?? undefined);
    if (quote !== null && quote !== `blake3:${await blake3(words)}`) return false;
  }
  return claim.anchors.length > 0;
}

describe('after a thousand random changes of facts', () => {
  it('every claim has the state that a second program computes from an export', { timeout: 300_000 }, async () => {
    const random = seeded(16);
    const known: Exported[] = [];
    const published: string[] = [];
    const seen: Record<string, number> = {};
    const change = async (place: number): Promise<void> => {
      const by = callers[random(3)]!;
      const [key, value, kind] = [`key-${random(KEYS)}`, `It is ${random(2)}, says somebody.`, random(10)];
      if (kind === 0 && known.length > 0) await by('DELETE', `/v1/facts/${known[random(known.length)]!.fact_id}`);
      else known.push(await storeFact(by, 'random', key, value, { private: kind > 7, confidence: (place % 10) / 10 }));
    };
    const anchorOf = async (): Promise<object> => {
      const { fact_id: id, value } = known[known.length - 1 - random(Math.min(known.length, 12))]!;
      const start = random(value.length - 1);
      const [from, to] = [start, start + 1 + random(6)];
      const quote = `blake3:${await blake3(value.slice(from, to))}`;
      return [
        { kind: 'fact', id },
        { kind: 'fact', id, quote_blake3: `blake3:${await blake3(value)}` },
        { kind: 'fact', id, start: from, end: to, quote_blake3: quote },
        { kind: 'fact', id, start: from, end: to, quote_blake3: random(4) ? quote : `blake3:${'0'.repeat(64)}` },
        { kind: 'fact', id, start: from, end: to },
      ][random(5)]!;
    };
    for (let round = 0; round < ROUNDS; round++) {
      for (let place = 0; place < CHANGES / ROUNDS; place += 10)
        await Promise.all(Array.from({ length: 10 }, (_, i) => change(place + i)));
      const claims = await Promise.all(
        Array.from({ length: 15 }, async (_, place) => ({
          ...{ claim_id: `c${place}`, text: 'x' },
          anchors: await Promise.all(Array.from({ length: random(3) }, anchorOf)),
        })),
      );
      const contradictions = [{ a: `c${random(5)}`, b: `c${5 + random(10)}`, why: 'not both' }];
      const existing = new Set((await allExported()).map(({ fact_id }) => fact_id));
      for (const claim of claims) claim.anchors = claim.anchors.filter((anchor: any) => existing.has(anchor.id));
      await publish(callers[0]!, 'random', `d${round}`, claims, { contradictions });
      published.push(`d${round}`);
      const facts = await allExported();
      for (const id of published) {
        const shown = await must(callers[0]!('GET', `/v1/projects/random/dossiers/${id}`));
        const standing = new Map<string, boolean>();
        for (const claim of shown.claims) standing.set(claim.claim_id, await stands(claim, facts));
        for (const claim of shown.claims) {
          const expected = await judge(claim, facts, standing, shown.contradictions);
          expect([id, round, claim, claim.state]).toEqual([id, round, claim, expected]);
          seen[expected] = (seen[expected] ?? 0) + 1;
        }
      }
    }
    for (const state of ['supported', 'contradicted', 'stale', 'unsupported'])
      expect([state, seen[state]! > 20, seen]).toEqual([state, true, seen]);
  });
});
