import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../common/problem/problem.js';
import { CAPS } from './local-ingest.dto.js';
import { documentsOf } from './local-ingest.rules.js';

const document = (members: object = {}) => ({
  doc_id: 'leave',
  title: 'Leave',
  text: 'Staff have 25 days.',
  ...members,
});
const distinct = (count: number, members: object = {}) =>
  Array.from({ length: count }, (_, i) => document({ doc_id: `d${i}`, ...members }));
const read = (documents: object[], corpus_id = 'handbook') =>
  documentsOf({ tenant_id: 't', corpus_id, documents, semantic_profile: 'default' });
/** What comes of a call: how many documents, or status, type, facts and message of the refusal. */
const outcome = (documents: object[], corpus_id?: string) =>
  read(documents, corpus_id).then(
    ({ length }) => length,
    ({ kind, facts, message }: Problem) => ({ refused: `${kind.status} ${kind.type}`, facts, message }),
  );

describe('the documents of a call', () => {
  it('come out as they were sent, owner_only unless they say otherwise', async () => {
    expect(
      await read([document(), document({ doc_id: 'pay', shareability: 'public_safe', url: 'https://a.b/' })]),
    ).toEqual([
      {
        ...{ corpusId: 'handbook', docId: 'leave', title: 'Leave', url: null, content: 'Staff have 25 days.' },
        ...{ shareability: 'owner_only', metadata: null, semanticProfile: 'default' },
      },
      expect.objectContaining({ docId: 'pay', shareability: 'public_safe', url: 'https://a.b/', metadata: null }),
    ]);
  });

  it('have their content type and language in their metadata', async () => {
    const sent = document({ content_type: 'text/html', language: 'german', metadata: { team: 'hr' } });
    const [{ metadata } = {}, none] = await read([sent, document({ doc_id: 'b', metadata: {} })]);
    expect(metadata).toEqual({ team: 'hr', contentType: 'text/html', language: 'german' });
    expect(none!.metadata).toBeNull();
  });

  it.each(['contentType', 'language'])('do not say %s twice', async (name) => {
    expect(await outcome([document(), document({ doc_id: 'b', metadata: { [name]: 'x' } })])).toMatchObject({
      refused: '400 ValidationFailed',
      message: `body.documents[1].metadata.${name}: is given by content_type and language of the document`,
    });
  });

  it('have metadata of at most 64 KiB as JSON', async () => {
    const sized = (bytes: number) => [document({ metadata: { x: 'é'.repeat((bytes - 8) / 2) } })];
    expect(await outcome(sized(65_536))).toBe(1);
    expect(await outcome(sized(65_538))).toMatchObject({
      refused: '400 ValidationFailed',
      message: 'body.documents[0].metadata: must not be larger than 65536 bytes as JSON',
    });
  });

  it('and their corpus have ids of at most 1,024 bytes', async () => {
    const [longest, longer] = ['🦄'.repeat(256), '東'.repeat(342)];
    expect(await outcome([document({ doc_id: longest })], longest)).toBe(1);
    const message = 'must not be longer than 1024 bytes in UTF-8';
    expect(await outcome([document({ doc_id: longer })])).toMatchObject({
      message: `body.documents[0].doc_id: ${message}`,
    });
    expect(await outcome([document()], longer)).toMatchObject({ message: `body.corpus_id: ${message}` });
  });

  it('are refused by the member that does not fit', async () => {
    expect(await outcome([document(), document({ title: '' })])).toMatchObject({ refused: '400 ValidationFailed' });
    expect((await outcome([document(), 7 as unknown as object])) as object).toMatchObject({
      message: 'body.documents[1]: must be a JSON object',
    });
  });
});

describe('a call that is too large', () => {
  const tooLarge = (exceeded: keyof typeof CAPS, what: string) => ({
    refused: '413 LocalIngestTooLarge',
    facts: { exceeded, ...CAPS },
    message: `${what}, at most ${CAPS[exceeded]} are taken (${exceeded}); divide the call`,
  });

  it('by its documents takes 256', async () => {
    expect(await outcome(distinct(256))).toBe(256);
    expect(await outcome(distinct(257))).toEqual(tooLarge('max_texts', '257 documents were sent'));
  });

  it('by a text takes 1 MiB of UTF-8', async () => {
    const sized = (bytes: number) => [document(), document({ doc_id: 'b', text: `x${'é'.repeat((bytes - 1) / 2)}` })];
    expect(await outcome(sized(2 ** 20 - 1))).toBe(2);
    expect(await outcome([document({ text: 'x'.repeat(2 ** 20) })])).toBe(1);
    expect(await outcome(sized(2 ** 20 + 1))).toEqual(
      tooLarge('max_text_bytes', 'the text of body.documents[1] has 1048577'),
    );
  });

  it('by all its texts takes 8 MiB of UTF-8', async () => {
    const full = distinct(8, { text: 'x'.repeat(2 ** 20) });
    expect(await outcome(full)).toBe(8);
    expect(await outcome([...full, document({ text: 'x' })])).toEqual(
      tooLarge('max_total_text_bytes', 'the texts have 8388609 together'),
    );
  });
});

describe('a document that cannot be processed', () => {
  it.each(['', ' ', '\n\t\u00a0\u2003'])('has the text %j', async (text) => {
    expect(await outcome([document(), document({ doc_id: 'b', text })])).toEqual({
      refused: '422 DocumentNotProcessable',
      facts: { doc_id: 'b', index: 1 },
      message: 'body.documents[1].text: holds no text; leave it out',
    });
  });

  it('has the id of another', async () => {
    expect(await outcome([document(), document({ doc_id: 'Leave' })])).toBe(2);
    expect(await outcome([document({ doc_id: 'a' }), document(), document({ text: 'other' })])).toEqual({
      refused: '422 DocumentNotProcessable',
      facts: { doc_id: 'leave', index: 2 },
      message: 'body.documents[2]: the doc_id is that of body.documents[1] too; send one of them',
    });
  });
});
