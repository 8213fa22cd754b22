import { describe, expect, it } from 'vitest';
import type { ValidationFailed } from '../../../common/problem/common-problems.js';
import type { PublishDossier } from './dossier.dto.js';
import { checkKnown, readPublished } from './published.rules.js';

const HASH = `blake3:${'0'.repeat(64)}`;
const claim = (claim_id: string, ...anchors: object[]) => ({ claim_id, text: 'x', anchors });
const request = (more: object = {}): PublishDossier =>
  ({
    ...{ dossier_id: 'd', project_id: 'shop', claims: [], uncertainties: [], contradictions: [], open_questions: [] },
    ...more,
  }) as unknown as PublishDossier;
const issuesOf = (run: () => unknown): string[] => {
  try {
    run();
    return [];
  } catch (error) {
    return ((error as ValidationFailed).facts.issues as { path: string }[]).map(({ path }) => path);
  }
};
const refused = (more: object) => issuesOf(() => readPublished('shop', request(more)));

describe('what is published', () => {
  it('is kept without what is found out at each reading', () => {
    const anchor = { kind: 'fact', id: 'f', start: 0, end: 2, quote_blake3: HASH, state: 'holds', why: null };
    const read = readPublished(
      'shop',
      request({ claims: [{ ...claim('a', anchor, { kind: 'receipt', id: 'r' }), state: 'stale' }] }),
    );
    expect(read).toEqual([
      {
        ...{ claim_id: 'a', text: 'x', confidence: null },
        anchors: [
          { kind: 'fact', id: 'f', start: 0, end: 2, quote_blake3: HASH },
          { kind: 'receipt', id: 'r', start: null, end: null, quote_blake3: null },
        ],
      },
    ]);
  });

  it.each<[string, object, string]>([
    ['another project', { project_id: 'other' }, 'body.project_id'],
    ['a name that is an address', { dossier_id: 'reconcile' }, 'body.dossier_id'],
    ['a claim twice', { claims: [claim('a'), claim('a')] }, 'body.claims[1].claim_id'],
    [
      'a place without its end',
      { claims: [claim('a', { kind: 'fact', id: 'f', start: 1 })] },
      'body.claims[0].anchors[0].end',
    ],
    [
      'a place without its start',
      { claims: [claim('a', { kind: 'fact', id: 'f', end: 1 })] },
      'body.claims[0].anchors[0].start',
    ],
    [
      'an empty place',
      { claims: [claim('a', { kind: 'fact', id: 'f', start: 1, end: 1 })] },
      'body.claims[0].anchors[0].end',
    ],
    [
      'words of a receipt',
      { claims: [claim('a', { kind: 'receipt', id: 'r', quote_blake3: HASH })] },
      'body.claims[0].anchors[0].start',
    ],
    [
      'an uncertainty about nothing',
      { uncertainties: [{ claim_id: 'a', reason: 'x' }] },
      'body.uncertainties[0].claim_id',
    ],
    [
      'a claim against itself',
      { claims: [claim('a')], contradictions: [{ a: 'a', b: 'a', why: 'x' }] },
      'body.contradictions[0].b',
    ],
  ])('is refused with %s', (_what, more, path) => expect(refused(more)).toEqual([path]));

  it('is refused with more anchors than a reading takes', () => {
    const anchors = Array.from({ length: 20 }, () => ({ kind: 'fact', id: 'f' }));
    const claims = Array.from({ length: 51 }, (_, i) => claim(`c${i}`, ...anchors));
    expect(refused({ claims })).toEqual(['body.claims']);
  });
});

it('anchors that lead nowhere are named', () => {
  const claims = readPublished(
    'shop',
    request({ claims: [claim('a', { kind: 'fact', id: 'f' }, { kind: 'work', id: 'w' })] }),
  );
  expect(issuesOf(() => checkKnown(claims, new Set([claims[0]!.anchors[1]!])))).toEqual([
    'body.claims[0].anchors[1].id',
  ]);
  expect(issuesOf(() => checkKnown(claims, new Set()))).toEqual([]);
});
