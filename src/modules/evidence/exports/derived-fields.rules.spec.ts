import { describe, expect, it } from 'vitest';
import { blake3Digest, sha256Digest } from '../../../evidence/digest.js';
import type { Disclosure } from '../../../evidence/export/export-format.js';
import { redactionOf, withheldFields } from './redaction.rules.js';

const item = (index: number, name: string, value: Disclosure['value']): Disclosure => ({
  path: ['items', index, ...name.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))],
  salt: new Uint8Array(16),
  value,
});

describe('what is derived from what is withheld', () => {
  const CHUNK = `chk_${'ab'.repeat(16)}`;
  const RECEIPT = '0198c1de-6f1e-8c3a-9a53-2f4e1f0b7c11';
  const changed = blake3Digest('the text as it came');
  const types = ['receipt', 'citation', 'finding', 'happening', 'answer', 'event'];
  const fields = [
    item(0, 'cose', Buffer.alloc(80)),
    item(0, 'payload.kind', 'seat.invited'),
    item(0, 'payload.subject', '0198c1de-6f1e-4c3a-9a53-2f4e1f0b7c11'),
    item(0, 'payload.actor', 'seat:alice'),
    item(0, 'payload.body.resolved_by', 'seat:bob'),
    item(0, 'payload.body.query', 'what'),
    item(0, 'payload.body.query_sha', sha256Digest('what')),
    item(0, 'payload.body.arguments_digest', sha256Digest('arguments')),
    item(0, 'payload.body.answer_hash', blake3Digest('an answer')),
    item(0, 'payload.body.events_digest', blake3Digest('events')),
    item(1, 'content', null),
    item(1, 'content_hash', changed),
    item(1, 'chunk_id', CHUNK),
    item(1, 'chunk_ref', 'ref_1'),
    item(1, 'doc_id', sha256Digest('a file').slice('sha256:'.length)),
    item(1, 'corpus_id', 'handbook'),
    item(1, 'start', 3),
    item(1, 'end', 9),
    item(1, 'binding.receipt_id', RECEIPT),
    item(1, 'binding.path.0', sha256Digest('a neighbour')),
    item(1, 'binding.index', 2),
    item(1, 'binding.start', 40),
    item(1, 'quote', null),
    item(2, 'chunk_id', CHUNK),
    item(2, 'chunk_ref', 'ref_1'),
    item(2, 'text', 'changed'),
    item(3, 'subject', 'bob'),
    item(3, 'data.receiptId', RECEIPT),
    item(3, 'data.title', 'Leave'),
    item(4, 'text', 'an answer'),
    item(4, 'text_hash', blake3Digest('an answer')),
    item(5, 'payload.word', 'hush'),
    item(5, 'event_id', sha256Digest('hush').slice('sha256:'.length)),
    item(5, 'payload_digest', blake3Digest('salted')),
  ];
  const hidden = (redaction: string) =>
    [...withheldFields(fields, types, redactionOf(redaction))].map(({ path }) => path.slice(1).join('.'));

  it('of a passage is withheld with it, also where its text was changed since', () => {
    const names = hidden('items.*.content');
    for (const name of ['content_hash', 'chunk_id', 'doc_id', 'start', 'end', 'binding.receipt_id', 'binding.path.0'])
      expect(names).toContain(`1.${name}`);
    expect(names).toEqual(expect.arrayContaining(['1.binding.index', '1.binding.start', '2.chunk_id']));
    for (const name of ['1.chunk_ref', '1.corpus_id', '2.chunk_ref', '2.text', '4.text'])
      expect(names).not.toContain(name);
  });

  it('is withheld under content also where the text itself is in no export', () => {
    const without = fields.filter(({ path }) => !(path[1] === 1 && path[2] === 'content'));
    for (const redaction of ['content', 'content_hash']) {
      const names = [...withheldFields(without, types, redactionOf(redaction))].map(({ path }) => path.join('.'));
      expect(names).toEqual(
        expect.arrayContaining(['items.1.content_hash', 'items.1.chunk_id', 'items.1.doc_id', 'items.2.chunk_id']),
      );
    }
  });

  it('is withheld with the content of another citation, where its own is not there', () => {
    const other = [item(0, 'content', 'a text'), item(1, 'content_hash', changed), item(1, 'chunk_id', CHUNK)];
    const names = [...withheldFields(other, ['citation', 'citation'], redactionOf('items.*.content'))];
    expect(names.map(({ path }) => path.join('.'))).toEqual([
      'items.0.content',
      'items.1.content_hash',
      'items.1.chunk_id',
    ]);
  });

  it('of a text are the digests that records have, and so the ids of all receipts, also of those that are no items', () => {
    const names = hidden('items.*.content');
    expect(names).toEqual(
      expect.arrayContaining(['0.cose', '0.payload.body.answer_hash', '0.payload.body.arguments_digest']),
    );
    expect(names).toContain('3.data.receiptId');
    expect(names).not.toContain('0.payload.body.events_digest');
  });

  it('of what a record says are its digests by either function, and those next to it that may be over it', () => {
    const names = hidden('query');
    expect(names).toEqual(
      expect.arrayContaining(['0.payload.body.query_sha', '0.payload.body.arguments_digest', '0.cose']),
    );
    for (const name of ['0.payload.body.answer_hash', '0.payload.body.events_digest', '4.text_hash', '1.chunk_id'])
      expect(names).not.toContain(name);
  });

  it('of an event is an id that is a digest, and not the digest that is salted', () => {
    expect(hidden('word')).toContain('5.event_id');
    expect(hidden('word')).not.toContain('5.payload_digest');
  });

  it('of records are their ids also within what a statement says', () => {
    const sentence = item(0, 'payload.body.checks.0.detail', `1 candidates, as the signed receipt ${RECEIPT} says`);
    const own = item(1, 'title', `A note on ${RECEIPT}`);
    const names = [...withheldFields([...fields, sentence, own], types, redactionOf('actor'))].map(({ path }) => path);
    expect(names).toContain(sentence.path);
    expect(names).not.toContain(own.path);
  });
});

describe('a content that nothing could be held against', () => {
  const types = ['receipt', 'citation', 'citation', 'answer'];
  const cited = (index: number, binding: Disclosure[]) => [
    ...[item(index, 'answer_id', 'a'), item(index, 'version', 1), item(index, 'ordinal', index)],
    ...[item(index, 'chunk_id', `c${index}`), item(index, 'content', 'text'), item(index, 'content_hash', 'h')],
    ...[item(index, 'doc_version', 1), item(index, 'doc_id', `d${index}`), ...binding],
  ];
  const fields = [
    ...[item(0, 'cose', Buffer.alloc(80)), item(0, 'payload.actor', 'seat:alice')],
    ...cited(1, [item(1, 'binding', null)]),
    ...[item(3, 'answer_id', 'a'), item(3, 'text', 'an answer'), item(3, 'text_hash', 'h')],
    ...cited(2, [item(2, 'binding.index', 2), item(2, 'binding.receipt_id', 'r'), item(2, 'binding.start', 4)]),
  ];
  const hidden = (redaction: string) =>
    [...withheldFields(fields, types, redactionOf(redaction))].map(({ path }) => path.slice(1).join('.'));

  it.each([
    ['ordinal', ['1.ordinal', '2.ordinal', '1.content', '2.content']],
    ['doc_version', ['1.doc_version', '2.doc_version', '2.content']],
    ['binding', ['1.binding', '2.binding.index', '2.binding.receipt_id', '2.binding.start', '1.content', '2.content']],
    ['index', ['2.binding.index', '2.content']],
  ])('is withheld with %s, and no digest of it', (redaction, names) => {
    expect(hidden(redaction)).toEqual(names);
  });

  it('is that of an answer too, with its digest', () => {
    expect(hidden('answer_id')).toEqual(expect.arrayContaining(['3.text', '3.text_hash', '1.content', '2.content']));
  });

  it('is shown where not all receipts are', () => {
    expect(hidden('actor,ordinal')).not.toContain('1.content');
  });
});
