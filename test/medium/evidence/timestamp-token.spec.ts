import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openssl, startTsa, type TestTsa } from '../../kit/tsa.js';
import { parseCertificates } from '../../../src/evidence/certificate-path.js';
import { sha256 } from '../../../src/evidence/sha256.js';
import { expectAuthority, openToken, timestampRequest, tokenOfReply } from '../../../src/evidence/timestamp-token.js';

const CONTENT = Buffer.from('a checkpoint\n');
const post = async (url: string, body: Uint8Array): Promise<Uint8Array> =>
  (await fetch(url, { method: 'POST', body: Buffer.from(body) })).bytes();
const authorities = ({ caFile }: TestTsa) => parseCertificates(readFileSync(caFile, 'utf8'));

describe.each(['ec', 'rsa'] as const)('tokens of an authority that signs by %s', (kind) => {
  let tsa: TestTsa;
  let other: TestTsa;
  beforeAll(async () => {
    [tsa, other] = await Promise.all([startTsa(kind), startTsa(kind)]);
  });
  afterAll(async () => {
    await Promise.all([tsa.close(), other.close()]);
  });

  it('are asked for by a request that openssl reads, and openssl verifies what comes', async () => {
    const nonce = Buffer.from(`80${randomBytes(7).toString('hex')}`, 'hex');
    const query = timestampRequest(sha256(CONTENT), Buffer.concat([Buffer.of(0), nonce]));
    const file = (name: string) => join(tsa.folder, name);
    writeFileSync(file('ours.query'), query);
    const { stdout } = await openssl('ts', '-query', '-in', file('ours.query'), '-text');
    expect(stdout).toMatch(/Hash Algorithm: sha256[^]*Certificate required: yes/);
    const token = tokenOfReply(await post(tsa.url, query));
    const opened = openToken(token);
    expect([opened.nonce, Buffer.from(opened.imprint)]).toEqual([nonce.toString('hex'), Buffer.from(sha256(CONTENT))]);
    expect([opened.policy, opened.authority]).toEqual(['1.2.3.4.1', 'O=Example, CN=Example tsa']);
    expect(Math.abs(opened.time.getTime() - Date.now())).toBeLessThan(60_000);
    writeFileSync(file('ours.token'), token);
    writeFileSync(file('ours.data'), CONTENT);
    const input = ['-data', file('ours.data'), '-in', file('ours.token'), '-token_in', '-CAfile', tsa.caFile];
    expect((await openssl('ts', '-verify', ...input)).stdout).toContain('Verification: OK');
  });

  it('lead to the root of their authority, and to that of no other', async () => {
    const opened = openToken(await tsa.stamp(CONTENT));
    expect(() => expectAuthority(opened, authorities(tsa))).not.toThrow();
    expect(() => expectAuthority(opened, [opened.signer])).not.toThrow();
    expect(() => expectAuthority(opened, authorities(other))).toThrow(/no chain leads from O=Example, CN=Example tsa/);
  });

  it('are refused by a certificate that is not for time stamping, and by SHA-512 of the content', async () => {
    const plain = await tsa.stamp(CONTENT, { signer: 'plain' });
    expect(() => openToken(plain)).toThrow(/not for time stamping alone/);
    const long = await tsa.stamp(CONTENT, { digest: 'sha512' });
    expect(() => openToken(long)).toThrow(/imprint is not by SHA-256/);
  });

  it('are refused when what is signed was changed', async () => {
    const token = await tsa.stamp(CONTENT);
    const at = Buffer.from(token).indexOf(Buffer.from(sha256(CONTENT)));
    expect(() => openToken(token.with(at, token[at]! ^ 1))).toThrow(/over something else than what it says/);
    expect(() => openToken(token.with(token.length - 1, token.at(-1)! ^ 1))).toThrow(/signature does not hold/);
    expect(() => openToken(token.subarray(0, -1))).toThrow(/cannot be read/);
    expect(() => openToken(Buffer.concat([token, Buffer.of(0)]))).toThrow(/cannot be read/);
  });
});

it('a refusal says its reason', async () => {
  const tsa = await startTsa();
  try {
    const reply = await post(tsa.url, timestampRequest(sha256(CONTENT), Buffer.of(1), '1.2.3.99'));
    expect(() => tokenOfReply(reply)).toThrow(/it refused, status 2/);
    expect(() => tokenOfReply(Buffer.from('garbage'))).toThrow(/no TimeStampResp/);
  } finally {
    await tsa.close();
  }
});
