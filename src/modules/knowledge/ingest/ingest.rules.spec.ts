import { describe, expect, it } from 'vitest';
import { PayloadTooLarge, ValidationFailed } from '../../../common/problem/common-problems.js';
import type { IngestRequest } from './ingest.dto.js';
import {
  documentKey,
  jobsOf,
  lastsMsOf,
  newestOf,
  planVersions,
  statedLanguages,
  submissionOf,
} from './ingest.rules.js';
import { MAX_CONTENT_BYTES } from './ingest.types.js';

const request: IngestRequest = {
  tenantId: 'acme',
  corpusId: 'handbook',
  docId: 'leave',
  title: 'Leave',
  content: 'Text.',
  url: 'https://example.com/leave',
  shareability: 'owner_only',
};

const caught = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('a submission', () => {
  it('takes content up to 4 MiB of UTF-8 and names what is larger', () => {
    expect(submissionOf({ ...request, content: 'é'.repeat(MAX_CONTENT_BYTES / 2) }, 'body').docId).toBe('leave');
    const error = caught(() =>
      submissionOf({ ...request, content: 'é'.repeat(MAX_CONTENT_BYTES / 2) + 'x' }, 'body.documents[3]'),
    );
    expect(error).toBeInstanceOf(PayloadTooLarge);
    expect(error).toMatchObject({
      facts: { limitBytes: 4_194_304 },
      message: 'body.documents[3].content: is 4194305 bytes of UTF-8, at most 4194304 are taken; divide the document',
    });
  });

  it.each([
    [{ language: 'klingon' }, 'body.metadata.language'],
    [{ language: 3 }, 'body.metadata.language'],
    [{ language: 'constructor' }, 'body.metadata.language'],
    [{ contentType: 'markdown' }, 'body.metadata.contentType'],
    [{ contentType: null }, 'body.metadata.contentType'],
    [{ note: 'x'.repeat(70_000) }, 'body.metadata'],
  ])('refuses metadata %j', (metadata, path) => {
    const error = caught(() => submissionOf({ ...request, metadata }, 'body'));
    expect(error).toBeInstanceOf(ValidationFailed);
    expect(error).toMatchObject({ facts: { issues: [{ path }] } });
  });

  it.each(['.', '..'])('refuses the id %s, which no address can have', (id) => {
    for (const name of ['corpusId', 'docId'])
      expect(caught(() => submissionOf({ ...request, [name]: id }, 'body'))).toMatchObject({
        facts: { issues: [{ path: `body.${name}` }] },
      });
    expect(submissionOf({ ...request, corpusId: '...', docId: '.a' }, 'body').docId).toBe('.a');
  });

  it('is the same version whatever the order of its metadata, and another one with anything else changed', () => {
    const digest = (change: Partial<IngestRequest>): string =>
      Buffer.from(submissionOf({ ...request, ...change }, 'body').digest).toString('hex');
    expect(digest({ metadata: { a: 1, b: { c: 2, d: 3 } } })).toBe(digest({ metadata: { b: { d: 3, c: 2 }, a: 1 } }));
    const changes: Partial<IngestRequest>[] = [
      {},
      { content: 'Text' },
      { title: 'Other' },
      { url: 'https://example.com/other' },
      { shareability: 'public_safe' },
      { metadata: {} },
      { metadata: { a: 1 } },
    ];
    expect(new Set(changes.map(digest)).size).toBe(changes.length);
  });
});

describe('versions', () => {
  const accepted = (changes: Partial<IngestRequest> = {}) => ({
    ...submissionOf({ ...request, ...changes }, 'body'),
    acceptedBy: 'key:1',
  });
  const one = accepted();
  const two = accepted({ content: 'Other text.' });
  const elsewhere = accepted({ docId: 'sick' });
  const plan = (submissions: (typeof one)[], known: Parameters<typeof planVersions>[1]) =>
    planVersions(submissions, known).map(({ version, isNew }) => [version, isNew]);

  it('count on with every change, in the order of the submissions', () => {
    expect(plan([one, one, two, elsewhere, one], new Map())).toEqual([
      [1, true],
      [1, false],
      [2, true],
      [1, true],
      [3, true],
    ]);
  });

  it('leave each document at the latest of them', () => {
    const named = newestOf(planVersions([one, elsewhere, two, two], new Map()));
    expect(named.map(({ docId, latestVersion, latestDigest }) => [docId, latestVersion, latestDigest])).toEqual([
      ['leave', 2, two.digest],
      ['sick', 1, elsewhere.digest],
    ]);
  });

  it('go on from what is known, and get a new version after a deletion', () => {
    const known = (latestDigest: Uint8Array | null) =>
      new Map([[documentKey(one), { latestVersion: 7, latestDigest }]]);
    expect(plan([one], known(one.digest))).toEqual([[7, false]]);
    expect(plan([one], known(two.digest))).toEqual([[8, true]]);
    expect(plan([one], known(null))).toEqual([[8, true]]);
  });
});

it('a corpus gets the first language that is stated for it', () => {
  const submission = (corpusId: string, language?: string) =>
    submissionOf({ ...request, corpusId, metadata: language === undefined ? undefined : { language } }, 'body');
  const languages = statedLanguages([
    submission('a'),
    submission('b'),
    submission('a', 'german'),
    submission('a', 'dutch'),
  ]);
  expect([...languages]).toEqual([
    ['a', 'german'],
    ['b', undefined],
  ]);
});

describe('the jobs of a batch', () => {
  const ingests = (...units: number[]) =>
    units.map((length, index) => ({ ingestId: String(index), content: 'x'.repeat(length) }));

  it('hold documents in their order, as many as are done together in a moment', () => {
    expect(jobsOf(ingests(100, 200, 300))).toEqual([{ queue: 'ingest', ingestIds: ['0', '1', '2'], units: 600 }]);
    expect(jobsOf(ingests(...Array<number>(101).fill(1))).map(({ ingestIds }) => ingestIds.length)).toEqual([100, 1]);
  });

  it('keep large documents from small ones', () => {
    const kinds = (...units: number[]) => jobsOf(ingests(...units)).map(({ queue, units: all }) => [queue, all]);
    expect(kinds(4_000_000, 10, 32_758)).toEqual([
      ['ingest.large', 4_000_000],
      ['ingest', 32_768],
    ]);
    expect(kinds(32_769)).toEqual([['ingest.large', 32_769]]);
  });
});

it('a job is taken to last for as long as there is much in it, and never for nothing', () => {
  expect([lastsMsOf(0), lastsMsOf(1024 * 1024)]).toEqual([2, 4_002]);
});
