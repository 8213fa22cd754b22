import { describe, expect, it } from 'vitest';
import type { AnchorNow, ClaimNow } from './dossiers.types.js';
import { reconcile, type Reconciled } from './reconcile.rules.js';

const anchor = (subject: string, value?: string, kind: AnchorNow['kind'] = 'fact'): AnchorNow => ({
  ...{ kind, id: subject, start: null, end: null, quote_blake3: null, state: 'holds', rivals: [], subject },
  ...(value === undefined ? {} : { value }),
});
const claim = (claim_id: string, text: string, ...anchors: AnchorNow[]): ClaimNow => ({
  ...{ claim_id, text, confidence: null, anchors, state: 'supported' },
});
const dossier = (dossierId: string, ...claims: ClaimNow[]): Reconciled => ({
  ...{ dossierId, agentPassport: dossierId.toUpperCase(), claims, contradictions: [] },
});
const seen = (...dossiers: Reconciled[]) => reconcile(dossiers).map(({ subject, agreement }) => [subject, agreement]);

describe('dossiers', () => {
  it('agree where they rest on one value of a fact, in whatever words', () => {
    const a = dossier('a', claim('1', 'The port is 80', anchor('shop | port', 'v80')));
    const b = dossier('b', claim('x', 'It listens on 80', anchor('shop | port', 'v80')));
    expect(seen(a, b)).toEqual([['shop | port', 'agree']]);
  });

  it('contradict each other where they rest on different values of it', () => {
    const a = dossier('a', claim('1', 'The port', anchor('shop | port', 'v80')));
    const b = dossier('b', claim('1', 'The port', anchor('shop | port', 'v81')));
    expect(reconcile([a, b])).toMatchObject([
      {
        agreement: 'contradict',
        claims: [
          { dossier_id: 'a', agent_passport: 'A' },
          { dossier_id: 'b', agent_passport: 'B' },
        ],
      },
    ]);
  });

  it('of which one alone speaks of something are only one, whatever it says how often', () => {
    expect(seen(dossier('a', claim('1', 'x', anchor('s', 'v1')), claim('2', 'y', anchor('s', 'v2'))))).toEqual([
      ['s', 'only_one'],
    ]);
  });

  it('contradict each other where one of them says so', () => {
    const claims = [claim('1', 'x', anchor('s')), claim('2', 'y', anchor('s'))];
    expect(seen({ ...dossier('a', ...claims), contradictions: [{ a: '2', b: '1', why: 'no' }] })).toEqual([
      ['s', 'contradict'],
    ]);
  });

  it('agree about a passage: a source does not say that two sentences cannot both be so', () => {
    const a = dossier('a', claim('1', 'x', anchor('document c/d', undefined, 'chunk')));
    const b = dossier('b', claim('2', 'y', anchor('document c/d', undefined, 'chunk')));
    expect(seen(a, b)).toEqual([['document c/d', 'agree']]);
  });

  it('compare claims without an anchor by id and words, and sort by subject', () => {
    const a = dossier('a', claim('2', 'Yes '), claim('1', 'No'));
    const b = dossier('b', claim('1', 'Yes'), claim('2', 'yes'));
    expect(seen(a, b)).toEqual([
      ['claim 1', 'contradict'],
      ['claim 2', 'agree'],
    ]);
  });

  it('prefer the fact among the anchors of a claim, and give long subjects a place that fits a cursor', () => {
    const long = 'ä'.repeat(700);
    const [row] = reconcile([dossier('a', claim('1', 'x', anchor('r', undefined, 'receipt'), anchor(long, 'v')))]);
    expect([row!.subject, row!.place.length < 300]).toEqual([long, true]);
  });
});
