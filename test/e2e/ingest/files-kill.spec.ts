import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAcme, type AcmeApi } from '../../kit/server-process.js';

const FOLDER = join(import.meta.dirname, '..', '..', 'data', 'files');
const NAMES = ['manual.pdf', 'leave.docx', 'budget.xlsx', 'review.pptx', 'book.epub', 'engine.eml', 'notice.rtf'];
const KILLS = 2;

let acme: AcmeApi;
beforeAll(async () => {
  acme = await startAcme();
});
afterAll(() => acme.close());

async function sendFile(name: string, docId: string): Promise<string> {
  const query = new URLSearchParams({ corpusId: 'files', docId, fileName: name }).toString();
  const file = readFileSync(join(FOLDER, name));
  const answer = await acme.call('POST', `/v1/ingest/file?${query}`, file, {
    'content-type': 'application/octet-stream',
  });
  expect([docId, answer.status]).toEqual([docId, 202]);
  return answer.body.ingestId as string;
}

const statusOf = async (ingestId: string): Promise<string> =>
  (await acme.call('GET', `/v1/ingest/${ingestId}`)).body.status as string;

describe('killed between the acceptance of files and the reading of their text', () => {
  it('the API reads and ends each of them', { timeout: 180_000 }, async () => {
    const ids: string[] = [];
    for (let round = 0; round <= KILLS; round += 1) {
      for (const name of NAMES) ids.push(await sendFile(name, `${round}-${name}`));
      if (round === KILLS) break;
      // At once after the last acceptance: its file is still to be read.
      await acme.api.stop('SIGKILL');
      const [row] = await acme.database.query<{ n: number }>('select count(content)::int as n from ingest_file');
      expect(row!.n).toBeGreaterThan(0);
      await acme.api.start();
    }
    const all = async () => [...new Set(await Promise.all(ids.map(statusOf)))];
    await expect.poll(all, { timeout: 120_000, interval: 250 }).toEqual(['completed']);
    const [left] = await acme.database.query<{ files: number; documents: number }>(
      'select (select count(*)::int from ingest_file) as files, (select count(*)::int from document_version) as documents',
    );
    expect(left).toEqual({ files: 0, documents: ids.length });
  });
});
