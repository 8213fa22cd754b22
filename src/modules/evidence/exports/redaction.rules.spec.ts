import { describe, expect, it } from 'vitest';
import { blake3Digest, sha256Digest } from '../../../evidence/digest.js';
import type { Disclosure, FieldPath } from '../../../evidence/export/export-format.js';
import { partsOf, redactionOf, withheldFields } from './redaction.rules.js';

const HASH = blake3Digest('the payload');
const TYPES = ['receipt', 'receipt', 'retrieval', 'citation', 'event'];
const field = (path: FieldPath, value: Disclosure['value']): Disclosure => ({ path, salt: new Uint8Array(16), value });
const item = (index: number, name: string, value: Disclosure['value']): Disclosure =>
  field(['items', index, ...name.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))], value);

const FIELDS = [
  field(['subject_id'], 'id-1'),
  item(0, 'cose', Buffer.from('cose')),
  item(0, 'receipt_id', 'id-1'),
  item(0, 'payload_hash', HASH),
  item(0, 'payload.actor', 'passport:alice'),
  item(0, 'payload.body.text_hash', blake3Digest('a text')),
  item(0, 'payload.body.list.0.name', 'x'),
  item(0, 'payload.body_hash', blake3Digest('body')),
  item(1, 'cose', Buffer.from('other')),
  item(1, 'payload.prev', HASH),
  item(1, 'payload.body.events_digest', blake3Digest('events')),
  item(1, 'payload.body.supersedes', 'id-1'),
  item(1, 'payload.body.content_hash', blake3Digest('a text with more around it')),
  item(1, 'payload.body.passages_root', sha256Digest('passages')),
  item(2, 'cbor', Buffer.from('cbor')),
  item(2, 'payload.nonce', Buffer.alloc(16)),
  item(2, 'payload.body.query', 'what'),
  item(3, 'content', 'a text'),
  item(3, 'content_hash', blake3Digest('a text')),
  item(3, 'chunk_id', 'c'),
  item(3, 'binding.start', 0),
  item(3, 'binding.path.0', sha256Digest('sibling')),
  item(4, 'type', 'said'),
  item(4, 'payload.word', 'hush'),
  item(4, 'salt', Buffer.alloc(16, 1)),
  item(4, 'payload_digest', blake3Digest('salted')),
  item(4, 'digest', blake3Digest('event')),
];
const withheld = (redaction: string) =>
  [...withheldFields(FIELDS, TYPES, redactionOf(redaction))].map(({ path }) => path.join('.'));

describe('what is withheld', () => {
  it('is nothing unless something is named', () => {
    expect(withheld('none')).toEqual([]);
  });

  it('of a receipt are all receipts with what names them, wherever it stands', () => {
    expect(withheld('items.0.payload.actor').sort()).toEqual(
      [
        ...['items.0.cose', 'items.0.payload.actor', 'items.0.payload.body_hash', 'items.0.payload_hash'],
        ...[
          'items.0.receipt_id',
          'items.1.cose',
          'items.1.payload.body.supersedes',
          'items.1.payload.prev',
          'subject_id',
        ],
      ].sort(),
    );
  });

  it('of a retrieval are its bytes and its nonce', () => {
    expect(withheld('query').sort()).toEqual(['items.2.cbor', 'items.2.payload.body.query', 'items.2.payload.nonce']);
  });

  it('of a text are its digests, and so the receipts that have them', () => {
    expect(withheld('content')).toEqual(
      expect.arrayContaining(['items.3.content', 'items.3.content_hash', 'items.0.cose']),
    );
    expect(withheld('items.3.content')).toContain('items.0.payload.body.text_hash');
    expect(withheld('items.3.content')).not.toContain('items.0.payload.actor');
  });

  it('of a cited text, or words of it, is what binds it to its document, and the digests that bind that', () => {
    for (const redaction of ['items.3.content', 'content'])
      expect(withheld(redaction)).toEqual(
        expect.arrayContaining([
          ...['items.3.binding.start', 'items.3.binding.path.0'],
          ...['items.1.payload.body.content_hash', 'items.1.payload.body.passages_root', 'items.1.cose'],
        ]),
      );
    expect(withheld('chunk_id')).not.toContain('items.3.binding.start');
  });

  it('of an event is its salt for a payload, and its digests for anything else', () => {
    expect(withheld('word').sort()).toEqual(['items.4.payload.word', 'items.4.salt']);
    const ofType = withheld('items.4.type');
    expect(ofType).toEqual(
      expect.arrayContaining(['items.4.digest', 'items.1.payload.body.events_digest', 'items.1.cose']),
    );
    expect(ofType).not.toContain('items.4.payload_digest');
  });

  it.each([
    ['name', ['items.0.payload.body.list.0.name']],
    ['payload.body.list.name', ['items.0.payload.body.list.0.name']],
    ['payload.*.list', ['items.0.payload.body.list.0.name']],
    ['items.*.chunk_id', ['items.3.chunk_id']],
    ['chunk_id , word', ['items.3.chunk_id', 'items.4.payload.word']],
  ])('%s names %j', (redaction, expected) => {
    expect(withheld(redaction)).toEqual(expect.arrayContaining(expected));
  });

  it('is everything under the profile all, and who acted under identity', () => {
    expect(withheld('all')).toHaveLength(FIELDS.length);
    expect(withheld('identity')).toContain('items.0.payload.actor');
  });

  it.each(['', ' ', ',', 'a..b', '.a', 'a b', 'none,actor'])('%j is no redaction', (text) => {
    expect(() => redactionOf(text)).toThrow();
  });

  it('refuses a name that no field has: a slip must not show what was to be hidden', () => {
    expect(() => withheld('actr')).toThrow(/names no field/);
  });
});

describe('the parts that are shown', () => {
  it.each([
    [undefined, true, 8],
    ['receipts', false, 2],
    ['citations, proofs', true, 2],
    ['keys', false, 0],
  ])('%j', (include, proofs, types) => {
    const parts = partsOf(include);
    expect([parts.proofs, parts.types.size]).toEqual([proofs, types]);
  });

  it.each(['', 'all', 'receipts,x', 'constructor'])('%j names none', (include) => {
    expect(() => partsOf(include)).toThrow();
  });
});
