import { describe, expect, it } from 'vitest';
import { toCbor } from '../../../evidence/cbor.js';
import { attestedOf, findUnattested, type RecordedRows, resolveCitations } from './citations.rules.js';
import type { CitationRequest, VisibleChunk } from './citations.types.js';

const CHUNK: VisibleChunk = {
  chunkId: 'chk_1',
  ownerTenantId: 'acme',
  corpusId: 'handbook',
  docId: 'leave',
  docVersion: 2,
  title: 'Leave',
  url: null,
  content: 'Staff have 25 days. 🎉 Staff may carry 5 over.',
  contentHash: `blake3:${'0'.repeat(64)}`,
  current: true,
  shareability: null,
};
const chunks = new Map([[CHUNK.chunkId, CHUNK]]);
const resolve = (request: Partial<CitationRequest>) => resolveCitations([{ chunkId: 'chk_1', ...request }], chunks);

describe('resolving a citation', () => {
  it('takes the whole passage when nothing else is said', () => {
    expect(resolve({ note: 'see also' })).toEqual({
      citations: [{ chunk: CHUNK, start: null, end: null, quote: null, note: 'see also' }],
      issues: [],
    });
  });

  it.each<[string, Partial<CitationRequest>, { start: number; end: number; quote: string }]>([
    ['finds a quote', { quote: '25 days' }, { start: 11, end: 18, quote: '25 days' }],
    ['takes the first of several', { quote: 'Staff' }, { start: 0, end: 5, quote: 'Staff' }],
    ['reads the words between offsets', { start: 23, end: 28 }, { start: 23, end: 28, quote: 'Staff' }],
    ['takes a quote and its offsets', { quote: 'Staff', start: 23, end: 28 }, { start: 23, end: 28, quote: 'Staff' }],
    ['counts UTF-16 code units', { quote: '🎉' }, { start: 20, end: 22, quote: '🎉' }],
    ['reaches the end', { start: 0, end: CHUNK.content.length }, { start: 0, end: 46, quote: CHUNK.content }],
  ])('%s', (_what, request, range) => {
    expect(resolve(request)).toEqual({ citations: [{ chunk: CHUNK, note: null, ...range }], issues: [] });
  });

  it.each<[string, Partial<CitationRequest>, string, string]>([
    [
      'an unknown passage',
      { chunkId: 'chk_2' },
      'chunkId',
      'names no passage this tenant can see: "chk_2". Cite a chunkId that a retrieval returned',
    ],
    [
      'words that do not occur',
      { quote: '25  days' },
      'quote',
      'does not occur in the passage; quote it exactly, or leave quote out',
    ],
    ['a start alone', { start: 1 }, 'end', 'is needed where start is given'],
    ['an end alone', { end: 1 }, 'start', 'is needed where end is given'],
    ['an empty range', { start: 4, end: 4 }, 'end', 'must be greater than start'],
    ['a range beyond the text', { start: 0, end: 47 }, 'end', 'is beyond the passage, which has 46 UTF-16 code units'],
    ['a divided character', { start: 21, end: 24 }, 'start', 'start and end must not divide a character'],
    [
      'a quote that stands elsewhere',
      { quote: 'Staff', start: 1, end: 6 },
      'quote',
      'is not what stands from start to end; that is "taff "',
    ],
  ])('refuses %s', (_what, request, member, message) => {
    expect(resolve(request)).toEqual({ citations: [], issues: [{ path: `body.citations[0].${member}`, message }] });
  });

  it('names every citation that is wrong', () => {
    const { issues } = resolveCitations([{ chunkId: 'a' }, { chunkId: 'chk_1' }, { chunkId: 'b' }], chunks);
    expect(issues.map(({ path }) => path)).toEqual(['body.citations[0].chunkId', 'body.citations[2].chunkId']);
  });
});

describe('an answer against its receipt', () => {
  const WHEN = new Date('2026-11-20T10:00:00Z');
  const answer = { answerId: 'a', version: 1, agentId: 'g', answerText: 'Yes.', retrieval: null };
  const cited = { chunk: CHUNK, start: null, end: null, quote: null, note: null };
  const rows: RecordedRows = {
    ...{ answer: { ...answer, recordedBy: 'key:1', recordedAt: WHEN }, citations: [cited], supersedes: null },
  };
  const body = toCbor(attestedOf(rows, 'acme')) as Record<string, never>;
  const receipt = { actor: 'key:1', occurredAt: '2026-11-20T10:00:01.000Z', body };
  const fault = (changed: Partial<RecordedRows['answer']>, more: Partial<RecordedRows> = {}, said = receipt) =>
    findUnattested({ ...rows, answer: { ...rows.answer, ...changed }, ...more }, said, 'acme');

  it('is what it says, also where the receipt names a session', () => {
    expect(fault({})).toBeUndefined();
    expect(fault({}, {}, { ...receipt, body: { ...body, session_id: 's' as never } })).toBeUndefined();
  });

  it.each<[string, Partial<RecordedRows['answer']>, Partial<RecordedRows>, RegExp]>([
    ['writer', { recordedBy: 'key:2' }, {}, /another writer/],
    ['time', { recordedAt: new Date('2026-11-18T10:00:00Z') }, {}, /another time/],
    ['agent', { agentId: 'h' }, {}, /not those/],
    ['text', { answerText: 'No.' }, {}, /not those/],
    ['list of citations', {}, { citations: [] }, /not those/],
    ['version before', {}, { supersedes: 'r' }, /not those/],
  ])('is found with another %s', (_what, changed, more, expected) => {
    expect(fault(changed, more)).toMatch(expected);
  });
});
