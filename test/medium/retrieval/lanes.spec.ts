import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { EvidenceService } from '../../../src/common/evidence-log/evidence.service.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { LedgersService } from '../../../src/modules/knowledge/retrieval/ledgers.service.js';
import { RetrievalService } from '../../../src/modules/knowledge/retrieval/retrieval.service.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { prove } from '../proofs/given.js';
import { essay, ingest, retrieve } from './given.js';

let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  await ingest(
    acme,
    Array.from({ length: 60 }, (_, i) => ({ corpusId: 'essays', docId: `e${i}`, content: essay(i) })),
  );
});
afterAll(() => api.close());

const asCaller = { tenantId: 'acme', tier: 'team', principal: 'key:test', role: 'owner', authType: 'api_key' } as const;
const QUERY = 'topic1 topic20 topic7';

describe('the lanes', () => {
  it('light and audit rank alike: skipping loses nothing', async () => {
    const light = await retrieve(acme, QUERY, { limit: 20 });
    const audit = await retrieve(acme, QUERY, { limit: 20, lane: 'audit' });
    expect(audit.results).toEqual(light.results);
    expect(audit.meta.scanned).toBeGreaterThanOrEqual(light.meta.scanned);
  });

  it('verified leaves a retrieval receipt that names what was returned', async () => {
    const answer = await retrieve(acme, QUERY, { lane: 'verified', agentId: 'scout', limit: 3 });
    const { retrievalId, retrievalReceiptId } = answer.meta;
    const receipt = await api.app
      .get(Tenancy)
      .run('acme', () => api.app.get(EvidenceService).readRetrieval(retrievalReceiptId));
    const { results } = answer;
    expect(receipt.body).toMatchObject({
      retrieval_id: retrievalId,
      agent_id: 'scout',
      lane: 'verified',
      query: QUERY,
      results: results.map((result: any) => ({
        chunk_id: result.chunkId,
        content_hash: blake3Digest(result.content),
        score: result.score,
      })),
    });
  });

  it('verified adds nothing that only one document says, however many passages it has', async () => {
    const passages = Array.from({ length: 30 }, (_, i) => `Orchid ${i} is an epiphyte. `.repeat(40));
    await ingest(acme, [{ corpusId: 'herbal', docId: 'long', title: 'Notes', content: passages.join('\n\n') }]);
    const { results, meta } = await retrieve(acme, 'orchid species', {
      ...{ corpusIds: ['herbal'], limit: 50, lane: 'verified' },
    });
    expect(results.length).toBeGreaterThan(12);
    expect(meta.expandedWith).toEqual([]);
  });

  it('verified adds words the best passages agree on, and shows what they add to a score', async () => {
    const flora = Array.from(
      { length: 12 },
      (_, i) => `The orchid ${i} grows on bark with roots in the air, an epiphyte.`,
    );
    const others = Array.from({ length: 120 }, (_, i) => `Stone ${i} is grey and hard and lies by the road.`);
    const text = [...flora, 'The epiphyte takes water from rain.', ...others];
    await ingest(
      acme,
      text.map((content, i) => ({ corpusId: 'flora', docId: `f${i}`, title: 'Notes', content })),
    );
    const light = await retrieve(acme, 'orchid species biology', { corpusIds: ['flora'], limit: 50 });
    const verified = await retrieve(acme, 'orchid species biology', {
      corpusIds: ['flora'],
      limit: 50,
      lane: 'verified',
    });
    expect(verified.meta.expandedWith).toContain('epiphyt');
    expect([light, verified].map(({ results }) => results.some((one: any) => one.docId === 'f12'))).toEqual([
      false,
      true,
    ]);
    for (const { score, scoreComponents } of verified.results) {
      const { vector, lexical, recency, laneWeight } = scoreComponents;
      expect(laneWeight).toBeGreaterThan(0);
      expect(score).toBe(lexical + vector + recency + laneWeight);
    }
  });

  it('audit leaves a ledger of all candidates and a signed receipt over its digest', async () => {
    const { results, meta } = await retrieve(acme, QUERY, { lane: 'audit', limit: 2 });
    const [ledger, receipt] = await api.app
      .get(Tenancy)
      .run('acme', () =>
        Promise.all([
          api.app.get(LedgersService).find(meta.retrievalId),
          api.app.get(EvidenceService).read(meta.receiptId),
        ]),
      );
    expect([ledger?.candidateCount, ledger?.candidates.length]).toEqual([meta.scanned, meta.ledgerCandidates]);
    expect(ledger?.candidates.slice(0, 2)).toEqual(results.map(({ chunkId, score }: any) => ({ chunkId, score })));
    expect(receipt.payload).toMatchObject({
      kind: 'retrieval.audited',
      subject: meta.retrievalId,
      body: {
        candidate_count: meta.scanned,
        candidates_digest: ledger?.candidatesDigest,
        ledger_digest: ledger?.linesDigest,
        query: QUERY,
      },
    });
    const again = await retrieve(acme, QUERY, { lane: 'audit', limit: 2 });
    const { payload } = await api.app
      .get(Tenancy)
      .run('acme', () => api.app.get(EvidenceService).read(again.meta.receiptId));
    expect(payload.body.candidates_digest).toBe(ledger?.candidatesDigest);
  });

  it('the last retrieval of an agent is stored in every lane', async () => {
    for (const lane of ['light', 'verified', 'audit', 'light']) {
      const { results } = await retrieve(acme, `${QUERY} topic3`, { lane, agentId: 'rover', limit: 2 });
      const last = await api.app.get(RetrievalService).findLast(asCaller, 'rover');
      expect([last?.lane, last?.request.query, last?.results.map(({ chunkId }) => chunkId)]).toEqual([
        lane,
        `${QUERY} topic3`,
        results.map((result: any) => result.chunkId),
      ]);
    }
    expect(await api.app.get(RetrievalService).findLast(asCaller, 'nobody')).toBeUndefined();
  });
});

describe('related words', () => {
  const QUESTION = 'On which date does the salary arrive?';
  const found = (answer: any): string[] => answer.results.map(({ docId }: any) => docId);

  it('are looked for when that is asked, in every lane, and count as added words', async () => {
    const payroll = await api.addTenant('payroll');
    await ingest(payroll, [
      { docId: 'pay', content: 'Wages are paid on the 27th.' },
      { docId: 'leave', content: 'Everybody has 26 days of leave.' },
    ]);
    expect(found(await retrieve(payroll, QUESTION))).not.toContain('pay');
    for (const lane of ['light', 'verified', 'audit']) {
      const { results, meta } = await retrieve(payroll, QUESTION, { lane, synonyms: true });
      expect(results[0].docId).toBe('pay');
      expect(results[0].scoreComponents.lexical).toBe(0);
      expect(results[0].scoreComponents.laneWeight).toBeGreaterThan(0);
      expect(meta.expandedWith).toContain('wage');
    }
  });

  it('stand in the receipt, and are looked for again when the retrieval is repeated', async () => {
    const auditor = await api.addTenant('auditor');
    await ingest(auditor, [{ docId: 'pay', content: 'Wages are paid on the 27th.' }]);
    const { meta } = await retrieve(auditor, QUESTION, { lane: 'audit', synonyms: true });
    const receipt = await api.app
      .get(Tenancy)
      .run(auditor.tenantId, () => api.app.get(EvidenceService).readRetrieval(meta.retrievalReceiptId));
    expect(receipt.body).toMatchObject({ query: QUESTION, synonyms: true });
    const { verdict } = await prove(auditor, { mode: 'audit', retrievalId: meta.retrievalId });
    expect(verdict).toBe('holds');
  });
});
