import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sign1 } from '@auth0/cose';
import { importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { verifyCommand } from '../../../src/cli/verify.js';
import { loadSettings } from '../../../src/common/config/settings.js';
import { addEs256Key } from '../../../src/common/evidence-log/add-es256-key.js';
import { KeyRing } from '../../../src/common/evidence-log/key-ring.js';
import { KnownKeys } from '../../../src/common/evidence-log/known-keys.js';
import { CrossTenant } from '../../../src/common/tenancy/cross-tenant.js';
import { readCoseReceipt } from '../../../src/evidence/forms/cose-receipt.js';
import { rootOf } from '../../../src/evidence/forms/logged-record.js';
import { verifyForm } from '../../../src/evidence/forms/verify-form.js';
import { signReceipt } from '../../../src/evidence/receipt.js';
import { SigningKey } from '../../../src/evidence/signing-key.js';
import { parseTrustedKeys } from '../../../src/evidence/trusted-keys.js';
import { startReceiptsDaemon, type ReceiptsDaemon } from './receipts-daemon.js';

const ES256 = 'application/scitt-receipt+cose; profile=es256';
const EXAMPLE = join(import.meta.dirname, '../../../examples/verify');

interface Jwk {
  kid: string;
  kty: string;
  exp?: number;
  svc_purposes: string[];
}

let daemon: ReceiptsDaemon;
let folder: string;
let receiptId: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-es256-'));
  copyFileSync(inject('signingKeyFile'), join(folder, 'keys.pem'));
  daemon = await startReceiptsDaemon({ env: { SVC_SIGNING_KEY_FILE: join(folder, 'keys.pem') } });
  [receiptId] = (await daemon.record('acme', {})) as [string];
}, 60_000);
afterAll(async () => {
  await daemon.close();
  rmSync(folder, { recursive: true, force: true });
});

const read = async (accept: string): Promise<{ status: number; type: string | null; file: Uint8Array }> => {
  const headers = { 'x-svc-scopes': 'receipts:read', accept };
  const response = await fetch(`${daemon.url}/v1/receipts/${receiptId}?tenant_id=acme`, { headers });
  const file = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, type: response.headers.get('content-type'), file };
};
const jwks = async (): Promise<{ keys: Jwk[] }> =>
  (await (await fetch(`${daemon.url}/v1/auth/keys`)).json()) as { keys: Jwk[] };
const ring = () => daemon.app.get(KeyRing, { strict: false });
const add = async (): Promise<string> => {
  const settings = loadSettings({ SVC_DATA_DIR: daemon.dataDir, SVC_SIGNING_KEY_FILE: join(folder, 'keys.pem') });
  const { kid } = await addEs256Key(settings, { ownerUrl: daemon.database.url }, 60);
  await vi.waitFor(async () => expect((await ring().findEs256())?.kid).toBe(kid));
  return kid;
};

/** `svc verify FILE --key JWKS --json`. */
async function verdictOf(file: string, keys: string): Promise<{ ok: boolean }> {
  const write = process.stdout.write.bind(process.stdout);
  let out = '';
  process.stdout.write = (text) => ((out += String(text)), true);
  try {
    await verifyCommand().parseAsync([file, '--key', keys, '--json'], { from: 'user' });
  } finally {
    process.stdout.write = write;
    process.exitCode = undefined;
  }
  return JSON.parse(out) as { ok: boolean };
}

describe('COSE receipts in ES256', () => {
  it('are refused with the remedy where the server has no key for them', async () => {
    const { status, file } = await read(ES256);
    expect([status, Buffer.from(file).toString()]).toEqual([406, expect.stringContaining('svc key add-es256')]);
    const fallback = await read(`${ES256};q=0.5, application/scitt-receipt+cose`);
    expect([fallback.status, fallback.type]).toEqual([200, 'application/scitt-receipt+cose']);
  });

  it('are made once a key on P-256 is named, and verify with the published keys', async () => {
    const kid = await add();
    const set = await jwks();
    expect(set.keys.find((key) => key.kid === kid)).toMatchObject({ kty: 'EC', svc_purposes: ['log'] });
    const { status, type, file } = await read(ES256);
    expect([status, type]).toEqual([200, ES256]);
    const [saved, keys] = [join(folder, 'receipt'), join(folder, 'jwks.json')];
    writeFileSync(saved, file);
    writeFileSync(keys, JSON.stringify(set));
    expect(verifyForm(file, parseTrustedKeys(JSON.stringify(set)))).toMatchObject({ ok: true, kids: [kid] });
    expect(await verdictOf(saved, keys)).toMatchObject({ ok: true });
    const post = (body: Uint8Array) => fetch(`${daemon.url}/v1/audit/bundle/verify`, { method: 'POST', body });
    expect(await (await post(file)).json()).toMatchObject({
      ok: true,
      known_issuer: true,
      keys: [{ kid, known: true }],
    });
    expect(await (await post(file.with(200, file[200]! ^ 1))).json()).not.toMatchObject({ ok: true });
    const ended = spawnSync('python3', ['-m', 'svc_verify', saved, '--key', keys], { cwd: EXAMPLE, encoding: 'utf8' });
    if (!ended.error) expect([ended.status, ended.stdout.trim()]).toEqual([0, 'verified']);
  });

  it('are verified by @auth0/cose', async () => {
    const { file } = await read(ES256);
    const receipt = readCoseReceipt(file);
    const jwk = (await jwks()).keys.find((key) => key.kid === receipt.kid)!;
    const key = (await importJWK(jwk, 'ES256')) as never;
    const root = rootOf(receipt.entry, receipt);
    await expect(Sign1.decode(file).verify(key, { detachedPayload: root })).resolves.not.toThrow();
    const other = root.with(0, root[0]! ^ 1);
    await expect(Sign1.decode(file).verify(key, { detachedPayload: other })).rejects.toThrow();
  });

  it('are signed by the next key after it was named, and the one before has an end', async () => {
    const before = readCoseReceipt((await read(ES256)).file).kid;
    const kid = await add();
    expect(readCoseReceipt((await read(ES256)).file).kid).toBe(kid);
    const { keys } = await jwks();
    expect(keys.map((key) => [key.kid, key.exp !== undefined]).slice(-2)).toEqual([
      [before, true],
      [kid, false],
    ]);
  });

  it('are not signed by a key that was only written into the table', async () => {
    const { receipt } = (await ring().view()).es256[0]!;
    const forged = signReceipt({ ...receipt.payload, seq: 99 }, SigningKey.generate());
    const before = (await jwks()).keys.length;
    await daemon.tamper("insert into es256_key (kid, statement) values ('planted', $1)", [Buffer.from(forged.cose)]);
    expect((await jwks()).keys).toHaveLength(before);
    const { unchained } = await daemon.app
      .get(CrossTenant)
      .run('test', (query) => daemon.app.get(KnownKeys, { strict: false }).view(query));
    expect(unchained).toEqual(['planted']);
    await daemon.tamper("delete from es256_key where kid = 'planted'");
  });
});
