import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { documentOf } from './given.js';

const MIB = 1024 * 1024;
let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
});
afterAll(() => api.close());

const nested = (depth: number): unknown => (depth === 0 ? 'x' : { a: nested(depth - 1) });

describe('POST /v1/ingest refuses', () => {
  it.each<[string, Record<string, unknown>, number, string, string]>([
    ['no corpus', { corpusId: undefined }, 400, 'ValidationFailed', 'body.corpusId'],
    ['an empty corpus', { corpusId: '' }, 400, 'ValidationFailed', 'body.corpusId'],
    ['a corpus name of 513 characters', { corpusId: 'x'.repeat(513) }, 400, 'ValidationFailed', 'body.corpusId'],
    ['a corpus name of 1,026 bytes', { corpusId: '漢'.repeat(342) }, 400, 'ValidationFailed', 'body.corpusId'],
    ['a document name of 1,026 bytes', { docId: '漢'.repeat(342) }, 400, 'ValidationFailed', 'body.docId'],
    ['a number for docId', { docId: 7 }, 400, 'ValidationFailed', 'body.docId'],
    ['a document name of 513 characters', { docId: 'x'.repeat(513) }, 400, 'ValidationFailed', 'body.docId'],
    ['null for a title', { title: null }, 400, 'ValidationFailed', 'body.title'],
    ['a list for content', { content: ['text'] }, 400, 'ValidationFailed', 'body.content'],
    ['empty content', { content: '' }, 400, 'ValidationFailed', 'body.content'],
    ['no url', { url: undefined }, 400, 'ValidationFailed', 'body.url'],
    ['a relative url', { url: '/here' }, 400, 'ValidationFailed', 'body.url'],
    ['an unknown shareability', { shareability: 'everyone' }, 400, 'ValidationFailed', 'body.shareability'],
    ['a suggestion that is no UUID', { sourceSuggestionId: 'abc' }, 400, 'ValidationFailed', 'body.sourceSuggestionId'],
    ['a list for metadata', { metadata: [] }, 400, 'ValidationFailed', 'body.metadata'],
    ['a text for metadata', { metadata: 'x' }, 400, 'ValidationFailed', 'body.metadata'],
    [
      'a language nobody speaks',
      { metadata: { language: 'klingon' } },
      400,
      'ValidationFailed',
      'body.metadata.language',
    ],
    [
      'a content type that is none',
      { metadata: { contentType: 'md' } },
      400,
      'ValidationFailed',
      'body.metadata.contentType',
    ],
    ['large metadata', { metadata: { x: 'y'.repeat(70_000) } }, 400, 'ValidationFailed', 'body.metadata'],
    ['deep metadata', { metadata: nested(40) }, 400, 'ValidationFailed', 'body.metadata'],
    ['a number that lost digits', { metadata: { of: [2 ** 53] } }, 400, 'ValidationFailed', 'body.metadata.of[0]'],
    ['a NUL character', { content: 'a\u0000b' }, 400, 'ValidationFailed', 'body.content'],
    ['a lone surrogate', { title: 'a\ud800b' }, 400, 'ValidationFailed', 'body.title'],
    ['a member that is not described', { language: 'english' }, 400, 'ValidationFailed', 'body.language'],
    ['more than 4 MiB', { content: 'x'.repeat(4 * MIB + 1) }, 413, 'PayloadTooLarge', 'body.content'],
    ['more than 4 MiB of UTF-8', { content: '€'.repeat(2 * MIB) }, 413, 'PayloadTooLarge', 'body.content'],
    ['another tenant', { tenantId: 'umbrella' }, 403, 'Forbidden', ''],
  ])('%s', async (_, change, status, type, path) => {
    const answer = await acme.call('POST', '/v1/ingest', documentOf(acme, change));
    expect([answer.status, answer.body.type, answer.body.detail]).toEqual([
      status,
      type,
      expect.stringContaining(path),
    ]);
  });

  it.each<[string, string, Record<string, string>, number]>([
    ['no JSON', '{"tenantId":', {}, 400],
    ['a list', '[]', {}, 400],
    ['a text', '"x"', {}, 400],
    ['nothing', '', {}, 400],
    ['another content type', '{}', { 'content-type': 'text/plain' }, 415],
    ['a body of 27 MiB', JSON.stringify('x'.repeat(27 * MIB)), {}, 413],
  ])('%s', async (_, body, headers, status) => {
    expect((await acme.call('POST', '/v1/ingest', body, headers)).status).toBe(status);
  });
});

describe('POST /v1/ingest/batch refuses', () => {
  it.each<[string, () => unknown, number, string]>([
    ['no documents', () => ({}), 400, 'body.documents'],
    ['an empty list', () => ({ documents: [] }), 400, 'body.documents'],
    [
      '501 documents',
      () => ({ documents: Array.from({ length: 501 }, () => documentOf(acme)) }),
      400,
      'body.documents',
    ],
    ['an object for a list', () => ({ documents: documentOf(acme) }), 400, 'body.documents'],
    ['a text among the documents', () => ({ documents: [documentOf(acme), 'x'] }), 400, 'body.documents'],
    ['null among the documents', () => ({ documents: [null] }), 400, 'body.documents'],
    [
      'a document without a title',
      () => ({ documents: [documentOf(acme), documentOf(acme, { title: undefined })] }),
      400,
      'body.documents[1].title',
    ],
    [
      'a document of another tenant',
      () => ({ documents: [documentOf(acme), documentOf(acme, { tenantId: 'umbrella' })] }),
      403,
      '',
    ],
    [
      'a document that is too large',
      () => ({ documents: [documentOf(acme), documentOf(acme, { content: 'x'.repeat(4 * MIB + 1) })] }),
      413,
      'body.documents[1].content',
    ],
  ])('%s', async (_, body, status, path) => {
    const answer = await acme.call('POST', '/v1/ingest/batch', body());
    expect([answer.status, answer.body.detail]).toEqual([status, expect.stringContaining(path)]);
  });
});

describe('the reading routes refuse', () => {
  it.each([
    ['/v1/ingest/not-a-uuid', 400, 'path.id'],
    ['/v1/ingest/00000000-0000-4000-8000-000000000000', 404, 'ingestId'],
    ['/v1/documents?limit=0', 400, 'query.limit'],
    ['/v1/documents?limit=201', 400, 'query.limit'],
    ['/v1/documents?limit=ten', 400, 'query.limit'],
    ['/v1/documents?cursor=%00', 400, 'query'],
    ['/v1/documents?cursor=eyJhIjoxfQ', 400, 'query.cursor'],
    ['/v1/documents?cursor=WzEsMiwzXQ', 400, 'query.cursor'],
    ['/v1/documents?cursor=WzFlMzAwLCJhIiwiYiJd', 400, 'query.cursor'],
    ['/v1/documents?shareability=all', 400, 'query.shareability'],
    ['/v1/documents?updatedSince=yesterday', 400, 'query.updatedSince'],
    ['/v1/documents?updatedSince=9999-12-31T23:59:59Z', 200, ''],
    ['/v1/documents?updatedSince=0001-01-01T00:00:00Z', 200, ''],
    ['/v1/documents?corpusId=', 400, 'query.corpusId'],
    ['/v1/documents?unknown=1', 400, 'query.unknown'],
    ['/v1/corpora?cursor=WzFd', 400, 'query.cursor'],
    ['/v1/documents/handbook/none', 404, ''],
    [`/v1/documents/${'x'.repeat(600)}/y`, 400, 'path.corpusId'],
  ])('%s', async (path, status, named) => {
    const answer = await acme.call('GET', path);
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(named)]);
  });
});

it('a document of 1 byte and one of exactly 4 MiB are taken', async () => {
  const sizes = ['x', 'word '.repeat((4 * MIB) / 5 + 1).slice(0, 4 * MIB)];
  const answers = await Promise.all(
    sizes.map((content, index) =>
      acme.call('POST', '/v1/ingest', documentOf(acme, { docId: `size-${index}`, content })),
    ),
  );
  expect(answers.map((answer) => answer.status)).toEqual([202, 202]);
});
