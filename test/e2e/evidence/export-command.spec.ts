import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECEIPT_FORMS } from '../../../src/common/evidence-log/receipt-forms.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { SvcCommand } from '../tenants/given.js';

let api: TestApi;
let svc: SvcCommand;
let receiptId: string;
let keys: string;
beforeAll(async () => {
  api = await startApi();
  svc = new SvcCommand(api.database);
  keys = join(svc.folder, 'jwks.json');
  writeFileSync(keys, await (await fetch(`${api.url}/.well-known/jwks.json`)).text());
  const document = {
    corpusId: 'notes',
    docId: 'hello',
    title: 'Hello',
    content: 'Lit in 1844.',
    url: 'https://example.org/hello',
  };
  const ingest = await api.tenant.call('POST', '/v1/ingest', { tenantId: api.tenant.tenantId, ...document });
  expect(ingest.status, JSON.stringify(ingest.body)).toBe(202);
  const [row] = await api.database.query<{ receipt_id: string }>(
    `select receipt_id from receipt where tenant_id = $1 and kind = 'ingest.accepted'`,
    [api.tenant.tenantId],
  );
  receiptId = row!.receipt_id;
}, 240_000);
afterAll(async () => {
  await api.close();
  svc.remove();
});

describe('svc export', () => {
  it.each(['record', ...RECEIPT_FORMS])('writes a receipt as %s, which svc verify reads', async (form) => {
    const file = join(svc.folder, form);
    const made = await svc.json('export', receiptId, file, '--tenant', api.tenant.tenantId, '--form', form);
    expect(made).toMatchObject({ receipt_id: receiptId, form, file, bytes: readFileSync(file).length });
    const verdict = await svc.run('verify', file, '--key', keys);
    expect([verdict.code, verdict.stdout.trimEnd().split('\n').at(-1)]).toEqual([0, 'verified']);
    const alone = await svc.run('verify', file);
    expect([alone.code, alone.stdout]).toEqual([1, expect.stringContaining('no key inside')]);
  });

  it('says what is wrong', async () => {
    const file = join(svc.folder, 'none');
    const { tenantId } = api.tenant;
    const cases: [number, string, string[]][] = [
      [1, 'has no receipt', ['00000000-0000-8000-8000-000000000000', file, '--tenant', tenantId]],
      [1, 'has no receipt', [receiptId, file, '--tenant', 'nobody']],
      [1, 'exists; choose another name', [receiptId, keys, '--tenant', tenantId]],
      [2, 'Allowed choices are record, tlog-proof', [receiptId, file, '--tenant', tenantId, '--form', 'pdf']],
      [2, "required option '--tenant", [receiptId, file]],
    ];
    for (const [code, sentence, words] of cases) {
      const ended = await svc.run('export', ...words);
      expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(sentence)]);
    }
  });
});
