import { describe, expect, it } from 'vitest';
import { UploadedFile } from '../../../../common/http/uploaded-file.js';
import type { ExtractedFile } from '../extraction/extraction.types.js';
import type { IngestFileMembers } from './ingest-files.dto.js';
import { documentOf, sentFileOf } from './ingest-files.rules.js';
import type { AcceptedFile } from './ingest-files.types.js';

const file = (name: string | null = 'report.pdf', type: string | null = 'application/pdf') =>
  new UploadedFile(Buffer.from('bytes'), name, type);
const sent = (query: IngestFileMembers, fields: Record<string, unknown> = {}, upload = file()) =>
  sentFileOf(query, { ...fields, file: upload }, 1_000);
const pathsOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as { facts: { issues?: { path: string }[] } }).facts.issues?.map(({ path }) => path);
  }
};

describe('a file as it was sent', () => {
  it('is named by its file, and is its owner’s alone, unless something else is said', () => {
    expect(sent({ corpusId: 'c' })).toMatchObject({
      ...{ corpusId: 'c', docId: 'report.pdf', fileName: 'report.pdf', mediaType: 'application/pdf' },
      ...{ title: null, url: null, shareability: 'owner_only', metadata: null, content: Buffer.from('bytes') },
    });
    const fields = { corpusId: 'c', docId: 'd', fileName: 'a/b/c.txt', metadata: '{"a":1}' };
    expect(sent({}, fields)).toMatchObject({ docId: 'd', fileName: 'c.txt', metadata: { a: 1 } });
  });

  it('has its members in one place each', () => {
    expect(pathsOf(() => sent({ corpusId: 'c' }, { corpusId: 'c' }))).toEqual(['body.corpusId']);
    expect(pathsOf(() => sent({}))).toEqual(['query.corpusId']);
    expect(pathsOf(() => sent({ corpusId: 'c' }, {}, file(null)))).toEqual(['query.docId']);
    expect(sent({ corpusId: 'c' }, { title: 'T' }).title).toBe('T');
  });

  it('names no tenant of its own', () => {
    expect(sent({ corpusId: 'c' }, { tenantId: 'acme' }).corpusId).toBe('c');
  });

  it('has metadata that can be stored and that the server does not set', () => {
    for (const [metadata, path] of [
      ['[]', 'query.metadata'],
      ['{', 'query.metadata'],
      ['{"a":"\\u0000"}', 'query.metadata'],
      ['{"a":"\\ud800"}', 'query.metadata'],
      ['{"contentType":"text/plain"}', 'query.metadata.contentType'],
      ['{"language":"klingon"}', 'query.metadata.language'],
    ] as const)
      expect([metadata, pathsOf(() => sent({ corpusId: 'c', metadata }))]).toEqual([metadata, [path]]);
  });

  it('is bounded', () => {
    expect(() => sentFileOf({ corpusId: 'c' }, { file: file() }, 4)).toThrow('The file is larger than 4 bytes');
  });
});

describe('the document of a file', () => {
  const accepted: AcceptedFile = {
    ...{ ingestId: 'i', corpusId: 'c', docId: 'd', fileName: 'a.pdf', mediaType: null, title: null, url: null },
    ...{ shareability: 'owner_only', metadata: { owner: 'ops' }, digest: Buffer.alloc(32, 1) },
    ...{ content: Buffer.from('bytes'), acceptedBy: 'key:1', authMode: 'api_key', agentSession: null },
  };
  const read: ExtractedFile = {
    ...{ text: 'Text.', contentType: 'text/plain', mediaType: 'application/pdf' },
    locations: [{ start: 0, end: 5, page: 1 }],
  };

  it('says what it was read from', () => {
    const named = { name: 'a.pdf', mediaType: 'application/pdf', digest: `blake3:${'01'.repeat(32)}`, bytes: 5 };
    expect(documentOf(accepted, read)).toMatchObject({
      ...{ corpusId: 'c', docId: 'd', content: 'Text.', url: null },
      metadata: { owner: 'ops', contentType: 'text/plain', file: named },
      file: { ...named, locations: read.locations },
    });
  });

  it('has the title that was sent, that of the file, or the name of the file', () => {
    const title = (sentTitle: string | null, own: string | undefined, fileName: string | null = 'a.pdf') =>
      documentOf({ ...accepted, title: sentTitle, fileName }, { ...read, title: own }).title;
    expect([title('Sent', 'Own'), title(null, ' Its\0 own\n title '), title(null, ' '), title(null, '', null)]).toEqual(
      ['Sent', 'Its own title', 'a.pdf', 'd'],
    );
    expect(title(null, 'x'.repeat(5_000))).toHaveLength(2_000);
  });
});
