import { execFileSync, spawnSync } from 'node:child_process';
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeyRing } from '../../../src/common/evidence-log/key-ring.js';
import { FORM_TYPES, RECEIPT_FORMS } from '../../../src/common/evidence-log/receipt-forms.js';
import { verifyCommand } from '../../../src/cli/verify.js';
import { parseTrustedKeys } from '../../../src/evidence/trusted-keys.js';
import { verifyForm } from '../../../src/evidence/forms/verify-form.js';
import { startReceiptsDaemon, type ReceiptsDaemon } from './receipts-daemon.js';

let daemon: ReceiptsDaemon;
let execution: string;
let retrieval: string;
let folder: string;
let jwks: string;
beforeAll(async () => {
  daemon = await startReceiptsDaemon();
  [execution] = (await daemon.record('acme', {})) as [string];
  retrieval = await daemon.recordRetrieval('acme');
  folder = mkdtempSync(join(tmpdir(), 'svc-forms-'));
  jwks = join(folder, 'jwks.json');
  const known = await daemon.app.get(KeyRing, { strict: false }).list();
  writeFileSync(jwks, JSON.stringify({ keys: known.map(({ jwk }) => jwk) }));
});
afterAll(async () => {
  await daemon.close();
  rmSync(folder, { recursive: true, force: true });
});

const read = async (id: string, accept: string): Promise<{ status: number; type: string | null; file: Uint8Array }> => {
  const response = await fetch(`${daemon.url}/v1/receipts/${id}?tenant_id=acme`, {
    headers: { 'x-svc-scopes': 'receipts:read', accept },
  });
  const file = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, type: response.headers.get('content-type'), file };
};
const judge = (file: Uint8Array) =>
  verifyForm(
    file,
    parseTrustedKeys(readFileSync(jwks, 'utf8')),
    file[0] === 0x7b ? JSON.parse(Buffer.from(file).toString()) : undefined,
  );

describe.each(RECEIPT_FORMS)('GET /v1/receipts/{receiptId} as %s', (form) => {
  it('answers a signed and a retrieval receipt with their place in the log', async () => {
    for (const id of [execution, retrieval]) {
      const { status, type, file } = await read(id, FORM_TYPES[form]);
      expect([status, type]).toEqual([200, FORM_TYPES[form]]);
      expect(judge(file)).toMatchObject({ ok: true, format: form });
    }
  });

  it('is judged by POST /v1/audit/bundle/verify with the keys of the server', async () => {
    const { file } = await read(execution, FORM_TYPES[form]);
    const post = async (body: Uint8Array) => {
      const response = await fetch(`${daemon.url}/v1/audit/bundle/verify`, { method: 'POST', body });
      return (await response.json()) as { ok: boolean; known_issuer: boolean; format: string };
    };
    expect(await post(file)).toMatchObject({ ok: true, known_issuer: true, format: form });
    const middle = Math.floor(file.length / 2);
    expect(await post(file.with(middle, file[middle]! ^ 1))).not.toMatchObject({ ok: true });
  });

  it('verifies by svc verify with the published keys, and not once it was changed', async () => {
    const { file } = await read(execution, FORM_TYPES[form]);
    const saved = join(folder, form);
    writeFileSync(saved, file);
    expect(await verdictOf(saved)).toMatchObject({ ok: true });
    writeFileSync(saved, file.with(Math.floor(file.length / 2), file[Math.floor(file.length / 2)]! ^ 1));
    expect(await verdictOf(saved)).toMatchObject({ ok: false });
  });
});

/** `svc verify FILE --key JWKS --json`. */
async function verdictOf(file: string): Promise<{ ok: boolean }> {
  const write = process.stdout.write.bind(process.stdout);
  let out = '';
  process.stdout.write = (text) => ((out += String(text)), true);
  try {
    await verifyCommand().parseAsync([file, '--key', jwks, '--json'], { from: 'user' });
  } finally {
    process.stdout.write = write;
    process.exitCode = undefined;
  }
  return JSON.parse(out) as { ok: boolean };
}

it('the envelope of the bundle (DSSE) is proven by openssl alone', async () => {
  const { file } = await read(execution, FORM_TYPES.sigstore);
  const { dsseEnvelope } = JSON.parse(Buffer.from(file).toString()) as {
    dsseEnvelope: { payload: string; payloadType: string; signatures: { sig: string }[] };
  };
  const payload = Buffer.from(dsseEnvelope.payload, 'base64');
  const { payloadType } = dsseEnvelope;
  const message = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
    payload,
  ]);
  const { keys } = JSON.parse(readFileSync(jwks, 'utf8')) as { keys: JsonWebKey[] };
  const pem = createPublicKey({ key: keys[0]!, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const paths = ['key.pem', 'message', 'signature'].map((name) => join(folder, name)) as [string, string, string];
  writeFileSync(paths[0], pem);
  writeFileSync(paths[1], message);
  writeFileSync(paths[2], Buffer.from(dsseEnvelope.signatures[0]!.sig, 'base64'));
  const words = ['pkeyutl', '-verify', '-pubin', '-inkey', paths[0], '-rawin', '-in', paths[1], '-sigfile', paths[2]];
  expect(execFileSync('openssl', words).toString()).toContain('Verified Successfully');
  writeFileSync(paths[1], message.with(40, message[40]! ^ 1));
  expect(spawnSync('openssl', words).status).toBe(1);
});

it('the route answers 406 with all forms for what it does not have', async () => {
  const { status, file } = await read(execution, 'text/html');
  expect([status, JSON.parse(Buffer.from(file).toString())]).toMatchObject([
    406,
    { offered: expect.arrayContaining(Object.values(FORM_TYPES)) as unknown },
  ]);
});
