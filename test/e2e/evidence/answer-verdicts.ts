import type { CborMap, CborValue } from '../../../src/evidence/cbor.js';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { fieldsOf } from '../../../src/evidence/export/export-fields.js';
import { signReceipt } from '../../../src/evidence/receipt.js';
import type { SigningKey } from '../../../src/evidence/signing-key.js';

/** An item by its type and its fields, by their paths. */
type Item = readonly [type: string, fields: ReadonlyMap<readonly (string | number)[], CborValue>];
type MakeExport = (items: readonly Item[], changes: { readonly complete: boolean }) => Uint8Array;

const TEXT = 'It is so.';
const NOTE = 'As asked.';
const AT = '2026-11-20T10:00:00.000Z';
const ENTRY = {
  ...{ chunk_id: 'chk_1', content_hash: blake3Digest(TEXT), corpus_id: 'c', doc_id: 'd', version: 1 },
  ...{ source: 'commons', start: null, end: null, quote_hash: null, note_hash: blake3Digest(NOTE) },
};

/** What an answer and its citations show, against the receipt of the answer in the same export. */
export function answerVerdicts(
  key: SigningKey,
  make: MakeExport,
): (readonly [name: string, failed: string | null, file: Uint8Array])[] {
  const receiptOf = (body: CborMap) =>
    signReceipt(
      {
        ...{ kind: 'answer.recorded', tenant_id: 'acme', stream: 'main', seq: 1, prev: null, occurred_at: AT },
        ...{ actor: 'key:1', auth_mode: 'api_key', subject: 'a', body },
      },
      key,
    );
  const body = { answer_id: 'a', version: 1, agent_id: 'g', answer_hash: blake3Digest('Yes.') };
  const recorded = receiptOf({ ...body, citations: [ENTRY, ENTRY] });
  const { agent_id: _agent, ...withoutAgent } = body;
  const older = receiptOf({ ...withoutAgent, citations: [defined({ ...ENTRY, note_hash: undefined })] });

  const itemOf = (type: string, value: CborMap): Item => [
    type,
    new Map(fieldsOf(value).map((field) => [field.path, field.value])),
  ];
  const receiptItem = ({ cose, receiptId, payloadHash, payload }: typeof recorded): Item =>
    itemOf('receipt', { cose, receipt_id: receiptId, payload_hash: payloadHash, payload: { ...payload } });
  const answer = (changes: Partial<Record<string, CborValue>> = {}): Item =>
    itemOf(
      'answer',
      defined({
        ...{ answer_id: 'a', version: 1, agent_id: 'g', text: 'Yes.', text_hash: blake3Digest('Yes.') },
        ...{ recorded_by: 'key:1', recorded_at: AT, receipt_id: recorded.receiptId, ...changes },
      }),
    );
  const citation = (ordinal: number, changes: Partial<Record<string, CborValue>> = {}): Item =>
    itemOf(
      'citation',
      defined({
        ...{ answer_id: 'a', version: 1, ordinal, chunk_id: 'chk_1', corpus_id: 'c', doc_id: 'd', doc_version: 1 },
        ...{ content: TEXT, content_hash: blake3Digest(TEXT), start: null, end: null, quote: null, quote_hash: null },
        ...{ note: NOTE, note_hash: blake3Digest(NOTE), binding: null, ...changes },
      }),
    );
  const file = (one: Item, cited = [citation(0), citation(1)], complete = true, receipt = recorded) =>
    make([receiptItem(receipt), one, ...cited], { complete });
  const withoutText = { content: undefined, content_hash: undefined };
  const withheld = itemOf('citation', { title: null });
  const evil: readonly (readonly [string, Uint8Array])[] = [
    ['an agent', file(answer({ agent_id: 'evil-agent' }))],
    ['a writer', file(answer({ recorded_by: 'key:evil' }))],
    ['a time 300 days earlier', file(answer({ recorded_at: '2026-01-24T10:00:00.000Z' }))],
    ['a time more than a day later', file(answer({ recorded_at: '2026-11-21T10:00:00.001Z' }))],
    ['a receipt', file(answer({ receipt_id: older.receiptId }))],
    ['an agent and no text', file(answer({ agent_id: 'evil-agent', text: undefined, text_hash: undefined }))],
    ['a note', file(answer(), [citation(0), citation(1, { note: 'No.', note_hash: blake3Digest('No.') })])],
    ['a document', file(answer(), [citation(0), citation(1, { doc_id: 'e', ...withoutText })])],
    ['a version of a document', file(answer(), [citation(0), citation(1, { doc_version: 2 })])],
    ['a span', file(answer(), [citation(0), citation(1, { start: 0, end: 2 })])],
    ['a place', file(answer(), [citation(0), citation(2, withoutText)])],
  ];
  return [
    ['of an answer with its receipt', null, file(answer())],
    ['of an answer a day after its receipt', null, file(answer({ recorded_at: '2026-11-21T10:00:00.000Z' }))],
    ['of an answer that withholds agent, writer and time', null, file(answer(NAMES))],
    [
      'of an answer with an older receipt, which says less',
      null,
      file(answer({ receipt_id: older.receiptId }), [citation(0)], true, older),
    ],
    ['of an answer with a citation that is withheld', null, file(answer(), [citation(0), withheld])],
    ...evil.map(
      ([what, made]) => [`of an answer with ${what} that its receipt does not have`, 'contents', made] as const,
    ),
    ['of an answer without one of its citations', 'contents', file(answer(), [citation(0)])],
    ['of an answer with a citation more', 'contents', file(answer(), [citation(0), citation(1), withheld])],
    ['of an answer with a citation twice', 'contents', file(answer(), [citation(0), citation(0)])],
    ['of an answer without one of its citations, not complete', null, file(answer(), [citation(0)], false)],
  ];
}

const NAMES = { agent_id: undefined, recorded_by: undefined, recorded_at: undefined };

/** Without the members that are to be withheld. */
function defined(members: Partial<Record<string, CborValue>>): CborMap {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as CborMap;
}
