import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { demoDocuments, describeLeftOut } from './demo-documents.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, content: string | Uint8Array): void => writeFileSync(join(folder, name), content);
const utf16 = (mark: number[], text: string, swap: boolean): Buffer => {
  const bytes = Buffer.from(text, 'utf16le');
  return Buffer.concat([Buffer.from(mark), swap ? bytes.swap16() : bytes]);
};

it('takes text of the usual endings in UTF-8 and, by its byte order mark, UTF-16', async () => {
  const types = { md: 'markdown', MARKDOWN: 'markdown', mdx: 'markdown', txt: 'plain', text: 'plain', rst: 'plain' };
  for (const ending of [...Object.keys(types), 'html', 'htm']) put(`a.${ending}`, `Skerryvore ${ending}`);
  put('bom.txt', '\ufeffGrüße');
  put('le.txt', utf16([0xff, 0xfe], 'Grüße', false));
  put('be.txt', utf16([0xfe, 0xff], 'Grüße', true));
  const { documents, leftOut } = await demoDocuments(folder);
  expect(leftOut).toEqual([]);
  expect(documents).toHaveLength(11);
  for (const { docId, metadata } of documents) {
    const type = types[docId.split('.')[1] as keyof typeof types] ?? 'html';
    expect([docId, metadata]).toEqual([docId, { contentType: `text/${type}` }]);
  }
  const greetings = documents.filter(({ content }) => content === 'Grüße').map(({ docId }) => docId);
  expect(greetings).toEqual(['be.txt', 'bom.txt', 'le.txt']);
});

it('names all that it leaves out, and why', async () => {
  put('kept.md', '# Kept');
  put('empty.txt', ' \n');
  put('large.txt', 'x'.repeat(4 * 1024 * 1024 + 1));
  put('latin-1.txt', Buffer.from('Gr\u00fc\u00dfe', 'latin1'));
  put('random.txt', Buffer.from([0x00, 0x9f, 0x92, 0x96, 0xff]));
  put('zeros.txt', 'a\0b');
  put('cut.txt', Buffer.from([0xff, 0xfe, 0x00, 0xd8]));
  put('report.pdf', '%PDF-1.4');
  put('table.csv', 'a,b');
  put('.hidden.md', 'hidden');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync('kept.md', join(folder, 'link.md'));
  const { documents, leftOut } = await demoDocuments(folder);
  expect(documents.map(({ docId }) => docId)).toEqual(['kept.md']);
  expect(Object.fromEntries(leftOut.map(({ name, reason }) => [name, reason]))).toEqual({
    'empty.txt': 'empty',
    'large.txt': 'larger than 4 MiB',
    'latin-1.txt': expect.stringMatching(/^not in UTF-8/),
    'random.txt': expect.stringMatching(/^not in UTF-8/),
    'zeros.txt': 'not text',
    'cut.txt': expect.stringMatching(/^not in UTF-16LE/),
    'report.pdf': 'of a type that is not taken',
    'table.csv': 'of a type that is not taken',
    '.hidden.md': 'hidden',
    'node_modules/': 'installed packages',
    'link.md': 'a symbolic link',
  });
  expect(describeLeftOut(leftOut)).toContain('   left out, of a type that is not taken: report.pdf, table.csv');
});

it('says so when nothing is left', async () => {
  put('report.pdf', '%PDF-1.4');
  await expect(demoDocuments(folder)).rejects.toThrow(
    new RegExp(`^${folder} holds no document to ingest\\.\n   left out, .*: report\\.pdf\nTaken is text: \\.md `),
  );
  await expect(demoDocuments(join(folder, 'nowhere'))).rejects.toThrow(`There is no folder ${join(folder, 'nowhere')}`);
  await expect(demoDocuments(join(folder, 'report.pdf'))).rejects.toThrow('There is no folder');
});
