import { describe, expect, it } from 'vitest';
import type { CborMap } from '../cbor.js';
import { blake3, blake3Digest, namedDigest } from '../digest.js';
import { PassageTree } from '../passage-tree.js';
import { signReceipt } from '../receipt.js';
import { SigningKey } from '../signing-key.js';
import type { Disclosure } from './export-format.js';
import { SignedExport, type DraftItem } from './sign-export.js';
import { verifyExport } from './verify-export.js';

const key = SigningKey.generate();
const now = new Date();
const jwk = key.publicKey.toJwk(new Date(now.getTime() - 60_000), null);

function receipt(kind: string, body: CborMap) {
  const facts = { tenant_id: 'acme', actor: 'key:1', auth_mode: 'api_key', occurred_at: now.toISOString() };
  return signReceipt({ ...facts, kind, stream: kind, seq: 1, prev: null, subject: 's', body }, key);
}
const receiptItem = ({ cose, receiptId, payloadHash, payload }: ReturnType<typeof receipt>): DraftItem => ({
  type: 'receipt',
  record: namedDigest('blake3', blake3(cose)),
  value: { cose, receipt_id: receiptId, payload_hash: payloadHash, payload: { ...payload } },
});

const TEXT = 'What stands in the document.';
const document = { corpus_id: 'c', doc_id: 'd', version: 1 };
const leaves = ['before', TEXT, 'after'].map((text, n) => ({
  ...{ chunkId: `chk_${n}`, contentHash: blake3Digest(text), start: n * 50, end: n * 50 + text.length },
}));
const tree = new PassageTree(leaves);
const said = { ...document, content_hash: blake3Digest('document') };
const completed = receipt('ingest.completed', { ...said, passages: 3, passages_root: tree.root });
const binding = { receipt_id: completed.receiptId, index: 1, path: tree.pathOf(1), start: 50, end: 50 + TEXT.length };
const named = { chunk_id: 'chk_1', content_hash: blake3Digest(TEXT), source: 'tenant', ...document };
const recorded = (citation: CborMap = named, more: CborMap = {}) =>
  receipt('answer.recorded', {
    ...{ answer_id: 'a', version: 1, answer_hash: blake3Digest('Yes.') },
    ...{ citations: [citation], ...more },
  });

const answer = (text = 'Yes.', more: CborMap = {}): DraftItem => ({
  type: 'answer',
  record: null,
  value: { answer_id: 'a', version: 1, text, text_hash: blake3Digest(text), ...more },
});
const citation = (changes: CborMap = {}): DraftItem => ({
  type: 'citation',
  record: null,
  value: {
    ...{ answer_id: 'a', version: 1, ordinal: 0, chunk_id: 'chk_1', corpus_id: 'c', doc_id: 'd', doc_version: 1 },
    ...{ content: TEXT, content_hash: blake3Digest(TEXT), binding, ...changes },
  },
});

type Shown = (field: Disclosure) => boolean;
async function contentsOf(items: DraftItem[], isShown: Shown = () => true, complete = true) {
  const about = { tenantId: 'acme', subject: 'answer', subjectId: 'a', mode: 'audit', complete } as const;
  const signer = { active: key, keys: [jwk], statements: [] };
  const sealed = await SignedExport.sign({ ...about, authModes: ['api_key'], items }, Buffer.alloc(32, 1), signer);
  return verifyExport(sealed.show(isShown, null), {}).checks.find(({ name }) => name === 'contents')!;
}
const whole = (cited = citation(), one = recorded(), ...more: DraftItem[]) =>
  contentsOf([receiptItem(one), receiptItem(completed), ...more, answer(), cited]);

describe('a cited text in an export', () => {
  it('leads to the receipt of its ingest', async () => {
    expect(await whole()).toMatchObject({ ok: true, detail: expect.stringContaining('2 texts, 1 of them bound') });
  });

  it.each<[string, CborMap]>([
    ['no path', { binding: null }],
    ['another span', { binding: { ...binding, end: 1 } }],
    ['another place', { binding: { ...binding, index: 0 } }],
    ['a short path', { binding: { ...binding, path: [] } }],
    ['a path that is none', { binding: { ...binding, path: ['x'] } }],
    ['a receipt that is not there', { binding: { ...binding, receipt_id: 'x' } }],
    ['another document', { doc_id: 'e' }],
    ['another name', { chunk_id: 'chk_2' }],
    ['another text', { content: 'before', content_hash: blake3Digest('before') }],
  ])('is refused with %s', async (_what, changes) => {
    expect((await whole(citation(changes))).ok).toBe(false);
  });

  it("needs no path where the receipt of the answer says that it is another tenant's", async () => {
    const foreign = recorded({ ...named, source: 'commons' });
    expect((await whole(citation({ binding: null }), foreign)).ok).toBe(true);
  });

  it('is refused when the document was accepted with another text', async () => {
    const accepted = (hash: string) => receiptItem(receipt('ingest.accepted', { ...document, content_hash: hash }));
    expect((await whole(citation(), recorded(), accepted(said.content_hash))).ok).toBe(true);
    expect((await whole(citation(), recorded(), accepted(blake3Digest('other')))).ok).toBe(false);
  });

  it('is refused when its path alone is withheld, and passes without the receipts', async () => {
    const items = [receiptItem(recorded()), receiptItem(completed), answer(), citation()];
    const without =
      (name: string): Shown =>
      ({ path }) =>
        path[2] !== name;
    expect((await contentsOf(items, without('binding'))).ok).toBe(false);
    expect((await contentsOf(items, without('cose'))).ok).toBe(true);
  });
});

describe('the text of an answer in an export', () => {
  it('is the one that its receipt names, and not another that some receipt names', async () => {
    const other = receiptItem(receipt('note', { text_hash: blake3Digest('No.') }));
    const items = (text: string) => [receiptItem(recorded()), receiptItem(completed), other, answer(text), citation()];
    expect((await contentsOf(items('Yes.'))).ok).toBe(true);
    expect((await contentsOf(items('No.'))).ok).toBe(false);
  });
});

describe('an answer in an export', () => {
  const attested = recorded(named, { agent_id: 'g' });
  const DAY = 24 * 3_600_000;
  const at = (ms: number) => new Date(now.getTime() + ms).toISOString();
  const row = { agent_id: 'g', recorded_by: 'key:1', recorded_at: at(1000), receipt_id: attested.receiptId };
  const of = (changes: CborMap, isShown?: Shown, one = attested) =>
    contentsOf([receiptItem(one), receiptItem(completed), answer('Yes.', { ...row, ...changes }), citation()], isShown);
  const withoutTexts: Shown = ({ path }) => !['text', 'text_hash', 'content', 'content_hash'].includes(`${path[2]}`);

  it('shows what its receipt says', async () => {
    expect((await of({})).ok).toBe(true);
    expect((await of({ recorded_at: at(-DAY) })).ok).toBe(true);
  });

  it.each<[string, CborMap, RegExp]>([
    ['another agent', { agent_id: 'h' }, /agent_id/],
    ['another writer', { recorded_by: 'key:2' }, /recorded_by/],
    ['another time', { recorded_at: at(DAY + 1) }, /recorded_at/],
    ['an earlier time', { recorded_at: at(-DAY - 1) }, /recorded_at/],
    ['another receipt', { receipt_id: completed.receiptId }, /receipt_id/],
  ])('does not verify with %s, its texts withheld or not', async (_what, changes, detail) => {
    for (const isShown of [undefined, withoutTexts])
      expect(await of(changes, isShown)).toMatchObject({ ok: false, detail: expect.stringMatching(detail) });
  });

  it('verifies where what would contradict is withheld, or its receipt is older and does not say it', async () => {
    expect((await of({ agent_id: 'h' }, ({ path }) => path[2] !== 'agent_id')).ok).toBe(true);
    expect((await of({ agent_id: 'h' }, ({ path }) => path[2] !== 'cose')).ok).toBe(true);
    const older = recorded();
    expect((await of({ agent_id: 'h', receipt_id: older.receiptId }, undefined, older)).ok).toBe(true);
  });
});

describe('the citations of an answer in an export', () => {
  const other = { ...named, chunk_id: 'chk_2', content_hash: blake3Digest('after') };
  const two = recorded(named, { citations: [named, { ...other, note_hash: blake3Digest('As asked.') }] });
  const second = (changes: CborMap = {}): DraftItem => ({
    type: 'citation',
    record: null,
    value: {
      ...{ answer_id: 'a', version: 1, ordinal: 1, chunk_id: 'chk_2', corpus_id: 'c', doc_id: 'd', doc_version: 1 },
      ...{ content_hash: blake3Digest('after'), note: 'As asked.', note_hash: blake3Digest('As asked.'), ...changes },
    },
  });
  const of = (cited: DraftItem[], isShown?: Shown, complete?: boolean) =>
    contentsOf([receiptItem(two), receiptItem(completed), answer(), ...cited], isShown, complete);
  const withheld: Shown = ({ path }) => path[1] !== 4;

  it('are all that the receipt names, shown or withheld', async () => {
    expect((await of([citation(), second()])).ok).toBe(true);
    expect((await of([citation(), second()], withheld)).ok).toBe(true);
  });

  it('are not fewer or more, or one twice, where the export says that it is complete', async () => {
    for (const cited of [[citation()], [citation(), second(), second()], [citation(), citation()]])
      expect((await of(cited)).ok).toBe(false);
    expect((await of([citation(), second(), second()], withheld)).ok).toBe(false);
    expect((await of([citation()], undefined, false)).ok).toBe(true);
  });

  it.each<[string, CborMap]>([
    ['another note', { note: 'No.', note_hash: blake3Digest('No.') }],
    ['no note', { note: null, note_hash: null }],
    ['another document', { doc_id: 'e' }],
    ['another version', { doc_version: 2 }],
    ['a place that the receipt does not have', { ordinal: 2 }],
  ])('say what the receipt says without a text as well, and not %s', async (_what, changes) => {
    expect((await of([citation(), second(changes)])).ok).toBe(false);
  });
});
