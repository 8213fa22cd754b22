import { describe, expect, it } from 'vitest';
import { encodeCanonical } from '../../../../evidence/cbor.js';
import { blake3, blake3Digest } from '../../../../evidence/digest.js';
import { leafHash } from '../../../../evidence/merkle.js';
import { Segment } from '../../../../search/segment.js';
import { analyseDocument, analyseGroup, chunkIdsOf, NO_TEXT } from './analyse-document.js';
import type { AnalysisInput } from './analysis.types.js';

const input: AnalysisInput = {
  tenantId: 'acme',
  corpusId: 'handbook',
  docId: 'leave',
  version: 1,
  title: 'Leave policy',
  content: 'Everyone has 28 days of leave a year.',
  day: 20_000,
};

const idKey = new Uint8Array(32).fill(7);
const chunkIdOf = await chunkIdsOf(idKey);
/** The leaf of docs/formats/receipts.md: the root of a document of one passage. */
const leaf = (...members: (string | number)[]): string =>
  Buffer.from(leafHash(encodeCanonical(members))).toString('hex');

describe('a document version', () => {
  it('has chunks with hashes and ids that depend on nothing but what names them', () => {
    expect(analyseDocument(input, chunkIdOf)).toEqual({
      chunks: [
        {
          ordinal: 0,
          start: 0,
          end: 37,
          headingPath: [],
          content: input.content,
          contentHash: Buffer.from(blake3(input.content)).toString('hex'),
          chunkId: 'chk_bfbc1c0eb9eb2636ac950ef6c0c17a33',
        },
      ],
      contentHash: blake3Digest(input.content),
      passagesRoot: 'sha256:' + leaf('chk_bfbc1c0eb9eb2636ac950ef6c0c17a33', blake3Digest(input.content), 0, 37),
    });
  });

  it('has other chunk ids under another tenant, corpus, document, version or ordinal', () => {
    const hash = 'ab'.repeat(32);
    const ids = [
      chunkIdOf(input, 0, hash),
      chunkIdOf(input, 1, hash),
      chunkIdOf({ ...input, version: 2 }, 0, hash),
      chunkIdOf({ ...input, docId: 'x' }, 0, hash),
      chunkIdOf({ ...input, corpusId: 'x' }, 0, hash),
      chunkIdOf({ ...input, tenantId: 'x' }, 0, hash),
      chunkIdOf(input, 0, 'cd'.repeat(32)),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^chk_[0-9a-f]{32}$/.test(id))).toBe(true);
  });

  it('has ids that say nothing of its text without the key', async () => {
    const hash = Buffer.from(blake3(input.content)).toString('hex');
    const named = JSON.stringify(['acme', 'handbook', 'leave', 1, 0, hash]);
    const unkeyed = Buffer.from(blake3(named)).toString('hex').slice(0, 32);
    const other = await chunkIdsOf(new Uint8Array(32).fill(8));
    const ids = [chunkIdOf(input, 0, hash), other(input, 0, hash), `chk_${unkeyed}`];
    expect(new Set(ids).size).toBe(3);
    expect(chunkIdOf(input, 0, hash)).toBe((await chunkIdsOf(idKey))(input, 0, hash));
  });

  it('without text says so and has no chunks', () => {
    const empty = analyseDocument({ ...input, content: ' \n\t' }, chunkIdOf);
    expect(empty).toMatchObject({ chunks: [], error: NO_TEXT });
  });
});

describe('a group of versions', () => {
  it('becomes one segment, in document order, that finds title, text and the headings above', () => {
    const long = `# Parental\n\n${'filler words here. '.repeat(100)}\n\n## Sabbatical\n\n${'other words there. '.repeat(130)}`;
    const { documents, segment } = analyseGroup(
      {
        language: 'english',
        documents: [input, { ...input, docId: 'empty', content: ' ' }, { ...input, docId: 'long', content: long }],
      },
      chunkIdOf,
    );
    expect(documents.map(({ chunks, error }) => [chunks.length, error])).toEqual([
      [1, undefined],
      [0, NO_TEXT],
      [4, undefined],
    ]);
    const opened = Segment.open(segment!.header, segment!.digest);
    expect(opened.chunkIds()).toEqual(documents.flatMap(({ chunks }) => chunks.map((chunk) => chunk.chunkId)));
    expect(opened.days).toEqual(Uint32Array.from([20_000, 20_000, 20_000, 20_000, 20_000]));
    expect(['leav', 'polici', 'parent', 'sabbat', 'filler'].map((term) => [term, opened.has(term)])).toEqual([
      ['leav', true],
      ['polici', true],
      ['parent', true],
      ['sabbat', true],
      ['filler', true],
    ]);
  });

  it('has no segment when no document has text', () => {
    const documents = [{ ...input, content: '\n' }];
    expect(analyseGroup({ language: 'english', documents }, chunkIdOf)).toEqual({
      documents: [expect.objectContaining({ chunks: [], error: NO_TEXT })],
    });
  });
});
