import { QueryFailedError } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { AnalysisExhausted } from './analysis/analysis.pool.js';
import { planPending, reasonToGiveUp, shardBatchesOf, shardChangesOf, slicesOf } from './ingest-indexing.rules.js';
import type { PendingVersion } from './ingest-indexing.types.js';

const pending = (ingestId: string, change: Partial<PendingVersion> = {}): PendingVersion => ({
  ingestId,
  corpusId: 'c',
  docId: 'd',
  version: 1,
  title: 't',
  url: null,
  content: 'text',
  contentType: null,
  shareability: 'owner_only',
  language: 'english',
  day: 20_000,
  currentVersion: 0,
  withdrawnVersion: 0,
  ...change,
});

describe('slices', () => {
  const MIB = 1024 * 1024;
  const unfinished = (...bytes: number[]) => bytes.map((size, index) => ({ ingestId: String(index), bytes: size }));
  it('hold at most 500 documents and 8 MiB, but always one', () => {
    expect(slicesOf([])).toEqual([]);
    expect(slicesOf(unfinished(4 * MIB, 4 * MIB, 1, 9 * MIB, 1))).toEqual([['0', '1'], ['2'], ['3'], ['4']]);
    expect(slicesOf(unfinished(...Array<number>(1001).fill(1))).map((slice) => slice.length)).toEqual([500, 500, 1]);
  });
});

describe('pending versions', () => {
  const ids = (versions: PendingVersion[]) => versions.map((version) => version.ingestId);
  it('are done when theirs or a later one is in search, dropped when deleted, and of the rest the latest goes first', () => {
    const { done, deleted, next } = planPending([
      pending('replaced', { version: 2, currentVersion: 3 }),
      pending('there', { version: 3, currentVersion: 3 }),
      pending('older', { docId: 'e', version: 4 }),
      pending('newer', { docId: 'e', version: 5 }),
      pending('deleted', { docId: 'f', version: 2, withdrawnVersion: 2 }),
      pending('again', { docId: 'f', version: 3, withdrawnVersion: 2 }),
    ]);
    expect([ids(done), ids(deleted), ids(next)]).toEqual([['replaced', 'there'], ['deleted'], ['newer', 'again']]);
  });
});

describe('shards', () => {
  it('are changed once each, in one order, what goes out with what comes in', () => {
    const versions = [
      pending('1', { corpusId: 'z' }),
      pending('2'),
      pending('3', { shareability: 'public_safe', docId: 'e' }),
    ];
    const batches = shardBatchesOf('acme', versions);
    expect(batches.map(({ shard, versions: members }) => [shard.corpusId, shard.shareability, members.length])).toEqual(
      [
        ['c', 'owner_only', 1],
        ['c', 'public_safe', 1],
        ['z', 'owner_only', 1],
      ],
    );
    const retired = [
      { shard: { corpusId: 'z', shareability: 'owner_only', language: 'english' } as const, chunkIds: ['old'] },
      { shard: { corpusId: 'a', shareability: 'public_safe', language: 'english' } as const, chunkIds: ['older'] },
    ];
    const changes = shardChangesOf(retired, batches, [{ documents: [] }, { documents: [] }, { documents: [] }]);
    expect(changes.map(({ shard, withdrawn }) => [shard.corpusId, shard.shareability, withdrawn])).toEqual([
      ['a', 'public_safe', ['older']],
      ['c', 'owner_only', []],
      ['c', 'public_safe', []],
      ['z', 'owner_only', ['old']],
    ]);
  });
});

describe('a document that fails on its own', () => {
  const refused = (code: string) => new QueryFailedError('insert', [], Object.assign(new Error('no'), { code }));
  it.each([
    [
      'out of time',
      new AnalysisExhausted(),
      0,
      'The document took too much time or memory to analyse. Divide it into smaller documents.',
    ],
    ['bad data', refused('22021'), 0, 'The database refused the document (SQLSTATE 22021).'],
    ['a violated key', refused('23505'), 0, 'The database refused the document (SQLSTATE 23505).'],
    ['a lock', refused('55P03'), 0, undefined],
    ['an unknown error', new TypeError('x'), 3, undefined],
    [
      'an unknown error too often',
      new TypeError('x'),
      4,
      "Indexing failed 5 times; the last error is in the server's log.",
    ],
  ])('%s', (_, error, attempt, reason) => {
    expect(reasonToGiveUp(error, attempt)).toBe(reason);
  });
});
