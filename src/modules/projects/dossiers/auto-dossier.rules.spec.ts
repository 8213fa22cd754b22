import { describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../evidence/digest.js';
import type { CitedAnswer } from '../../knowledge/citations/answers.service.js';
import type { FactRow } from '../../memory/facts/facts.types.js';
import { autoDossier } from './auto-dossier.rules.js';

const fact = (key: string, value: string, more: object = {}): FactRow =>
  ({ fact_id: `id-${key}`, entity: 'project:shop', key, value, confidence: 1, receipt_id: 'r1', ...more }) as FactRow;
const answer = (answerId: string, citations: number): CitedAnswer =>
  ({
    answer: { answerId, answerText: `Says ${answerId}`, receiptId: 'r2' },
    citations: Array.from({ length: citations }, (_, i) => ({
      ...{ chunk: { chunkId: `chk_${i}`, content: 'At dawn.' }, start: 0, end: 7, quote: 'At dawn' },
    })),
  }) as unknown as CitedAnswer;
const made = (sources: Partial<Parameters<typeof autoDossier>[0]>) =>
  autoDossier({ projectId: 'shop', facts: [], answers: [], blocked: [], ...sources });

describe('a dossier that is made by itself', () => {
  it('has a claim for each fact, whose words stand in it', () => {
    const { claims, based_on, uncertainties } = made({
      facts: [fact('port', '80'), fact('db', 'PostgreSQL', { confidence: 0.3 })],
    });
    expect(claims).toMatchObject([
      {
        text: 'port: 80',
        confidence: 1,
        anchors: [{ kind: 'fact', id: 'id-port', start: 0, end: 2, quote_blake3: blake3Digest('80') }],
      },
      { text: 'db: PostgreSQL' },
    ]);
    expect(uncertainties).toMatchObject([{ claim_id: claims[1]!.claim_id }]);
    expect(based_on).toEqual({ facts: ['id-port', 'id-db'], receipts: ['r1'], chunks: [] });
  });

  it('names a claim by its fact, whatever version that has', () => {
    const [before, after] = [fact('port', '80'), fact('port', '81', { fact_id: 'other' })].map(
      (one) => made({ facts: [one] }).claims[0]!.claim_id,
    );
    expect(after).toBe(before);
  });

  it('has a claim for each answer, which rests on the passages it cites', () => {
    const { claims, based_on } = made({ answers: [answer('a', 2)] });
    expect(claims).toMatchObject([
      { text: 'Says a', confidence: null, anchors: [{ kind: 'chunk', id: 'chk_0', end: 7 }, { id: 'chk_1' }] },
    ]);
    expect(based_on).toEqual({ facts: [], receipts: ['r2'], chunks: ['chk_0', 'chk_1'] });
  });

  it('asks what facts ask, and what work waits for', () => {
    const blocked = [{ title: 'Pay', reason: 'which bank?' }];
    const { open_questions: questions } = made({
      facts: [fact('question:tax', 'Which rate?'), fact('port', '80')],
      blocked,
    });
    expect(questions).toEqual(['Which rate?', 'Pay: which bank?']);
  });

  it('keeps within its bounds, and cuts no sign in two', () => {
    const facts = Array.from({ length: 700 }, (_, i) => fact(`k${i}`, `${'x'.repeat(i % 2 ? 3_999 : 3_998)}😀`));
    const { claims } = made({ facts, answers: [answer('a', 50)] });
    expect(claims).toHaveLength(500);
    expect(claims.every(({ text }) => text.length <= 4_000 && text.isWellFormed())).toBe(true);
    const many = made({ answers: Array.from({ length: 100 }, (_, i) => answer(`a${i}`, 500)) });
    expect(many.claims.flatMap(({ anchors }) => anchors)).toHaveLength(1_000);
  });

  it('of nothing says nothing', () => {
    expect(made({})).toMatchObject({ claims: [], open_questions: [], uncertainties: [], contradictions: [] });
  });
});
