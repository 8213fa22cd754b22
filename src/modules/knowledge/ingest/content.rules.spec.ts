import { describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../evidence/digest.js';
import { documentLeaf } from '../../../evidence/ingest-batch.js';
import { PassageTree } from '../../../evidence/passage-tree.js';
import type { ReceiptPayload } from '../../../evidence/receipt.js';
import { faultOf, passagesOffText, type SaidByReceipt, spanKeyOf, type VersionEvidence } from './content.rules.js';
import { acceptedDocument, completedDocument } from './ingest-receipts.rules.js';

const CONTENT = 'The gate opens. It shuts.';
const document = { corpusId: 'c', docId: 'd', version: 1 };
const passages = [
  { chunkId: 'chk_0', contentHash: blake3Digest('The gate opens.'), start: 0, end: 15 },
  { chunkId: 'chk_1', contentHash: blake3Digest('It shuts.'), start: 16, end: 25 },
];
const text = { content: CONTENT, shareability: 'private' };
const said = { corpus_id: 'c', doc_id: 'd', version: 1, content_hash: blake3Digest(CONTENT) };
const ingestId = '01934a6e-0000-7000-8000-000000000001';
const receipt = (kind: string, body: ReceiptPayload['body']): SaidByReceipt => ({
  ...{ ingestId, payload: { kind, body } as ReceiptPayload, leaf: undefined },
});
/** The receipts of batches that have the leaves of this version, or of one with these changes. */
const batched = (changes = {}, end = {}) => {
  const name = { ...document, ingestId, ...changes };
  const content = {
    contentHash: said.content_hash,
    shareability: 'private',
    passagesRoot: new PassageTree(passages).root,
  };
  const leafOf = (leaf: Uint8Array, kind: string) => ({ ...receipt(kind, { count: 1 }), leaf });
  return {
    accepted: leafOf(documentLeaf(acceptedDocument(name, { ...content, ...changes })), 'ingest.batch_accepted'),
    completed: leafOf(
      documentLeaf(completedDocument({ ...name, ...end }, { ...content, chunks: passages, ...end })),
      'ingest.batch_completed',
    ),
  };
};
const completed = (changes = {}) =>
  receipt('ingest.completed', { ...said, passages: 2, passages_root: new PassageTree(passages).root, ...changes });
const evidence = (changes: Partial<VersionEvidence> = {}): VersionEvidence => ({
  ...{ document, ...text, passages, accepted: receipt('ingest.accepted', said), completed: completed() },
  ...changes,
});

describe('a stored version against the receipts of its ingest', () => {
  it.each<[string, Partial<VersionEvidence>]>([
    ['as it came in', {}],
    ['from before there were receipts over passages', { completed: undefined }],
    ['of batches', batched()],
    ['accepted in a batch, completed alone', { accepted: batched().accepted }],
    [
      'of a local ingest',
      { accepted: receipt('local.ingested', { corpus_id: 'c', documents: [{ ...said, doc_id: 'x' }, said] }) },
    ],
  ])('%s has no fault', (_what, changes) => {
    expect(faultOf(evidence(changes))).toBeUndefined();
  });

  it.each<[string, Partial<VersionEvidence>, RegExp]>([
    ['another text', { content: 'The gate shuts.' }, /the document's text has .* ingest.accepted says/],
    [
      'another text before it was divided',
      { completed: completed({ content_hash: 'x' }) },
      /ingest.completed says "x"/,
    ],
    ['a receipt of another version', { completed: completed({ version: 2 }) }, /about another document or version/],
    ['a receipt of something else', { accepted: receipt('answer.recorded', said) }, /about another document/],
    ['a passage less', { passages: passages.slice(1) }, /has 1 passages, 2 were ingested/],
    ['another order', { passages: [...passages].reverse() }, /not those that were ingested/],
    ['a batch of another document', batched({ docId: 'e' }), /is not what ingest.batch_accepted binds/],
    ['a batch for other readers', batched({ shareability: 'public' }), /is not what ingest.batch_accepted binds/],
    ['another text than the batch', { ...batched(), content: 'Shut.' }, /is not what ingest.batch_accepted binds/],
    ['a passage less than the batch', { ...batched(), passages: [] }, /is not what ingest.batch_completed binds/],
    ['a batch of another version', batched({}, { version: 2 }), /is not what ingest.batch_completed binds/],
    ['a receipt with another root', { completed: completed({ passages_root: 'x' }) }, /not those that were ingested/],
  ])('with %s says so', (_what, changes, fault) => {
    expect(faultOf(evidence(changes))).toMatch(fault);
  });
});

describe('passages that are no slices of their document', () => {
  it('are those with another text, or at another place', () => {
    const other = { ...passages[1]!, contentHash: blake3Digest('It is shut.') };
    const moved = { ...passages[0]!, end: 14 };
    expect(passagesOffText(CONTENT, [...passages, other, moved])).toEqual([other, moved]);
  });

  it('are known by their text and place, not by their id', () => {
    expect(spanKeyOf({ ...passages[0]!, start: 1 })).not.toBe(spanKeyOf(passages[0]!));
    expect(spanKeyOf({ contentHash: passages[0]!.contentHash, start: 0, end: 15 })).toBe(spanKeyOf(passages[0]!));
  });
});
