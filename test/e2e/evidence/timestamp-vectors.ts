import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { draftTimestamp, type FileTimestamp } from '../../../src/evidence/file-timestamps.js';
import { signNow } from '../../../src/evidence/signer.js';
import { SigningKey } from '../../../src/evidence/signing-key.js';
import { startTsa } from '../../kit/tsa.js';

const FILE = join(import.meta.dirname, '../../../docs/formats/vectors/timestamps.json');

/** docs/formats/vectors/timestamps.json: tokens of authorities that were there once. */
export interface TimestampVectors {
  /** PEM, of the authority of all tokens but `other_authority`. */
  readonly root: string;
  readonly other_root: string;
  /** The checkpoint of sound.svcpack and the earlier one in it. */
  readonly stamped: { readonly checkpoint: string; readonly earlier: string };
  /** Base64 of DER. */
  readonly tokens: Readonly<Record<TokenName, string>>;
}

type TokenName = 'checkpoint' | 'earlier' | 'rsa' | 'another_text' | 'sha512' | 'not_for_stamping' | 'other_authority';

/** Made once, with SVC_WRITE_VECTORS=1 while the file is missing: an authority never stamps the same way twice. */
export async function writeTimestampVectors(): Promise<void> {
  if (process.env.SVC_WRITE_VECTORS !== '1' || existsSync(FILE)) return;
  const pack = JSON.parse(readFileSync(join(FILE, '../sound.svcpack'), 'utf8')) as {
    checkpoint: string;
    consistency: { checkpoint: string }[];
  };
  const [checkpoint, earlier] = [pack.checkpoint, pack.consistency[0]!.checkpoint];
  const [tsa, other] = [await startTsa('ec'), await startTsa('rsa')];
  const of = async (made: Promise<Uint8Array>) => Buffer.from(await made).toString('base64');
  const tokens: Record<TokenName, string> = {
    checkpoint: await of(tsa.stamp(Buffer.from(checkpoint))),
    earlier: await of(tsa.stamp(Buffer.from(earlier))),
    rsa: await of(other.stamp(Buffer.from(checkpoint))),
    another_text: await of(tsa.stamp(Buffer.from(checkpoint.split('\n\n')[0]!))),
    sha512: await of(tsa.stamp(Buffer.from(checkpoint), { digest: 'sha512' })),
    not_for_stamping: await of(tsa.stamp(Buffer.from(checkpoint), { signer: 'plain' })),
    other_authority: await of(other.stamp(Buffer.from(earlier))),
  };
  const vectors: TimestampVectors = {
    root: readFileSync(tsa.caFile, 'utf8'),
    other_root: readFileSync(other.caFile, 'utf8'),
    stamped: { checkpoint, earlier },
    tokens,
  };
  await Promise.all([tsa.close(), other.close()]);
  writeFileSync(FILE, `${JSON.stringify(vectors, null, 2)}\n`);
}

export const readTimestampVectors = (): TimestampVectors => JSON.parse(readFileSync(FILE, 'utf8')) as TimestampVectors;

/** What stamped.svcpack and the exports of that name carry: two tokens, of two checkpoints by two authorities. */
export function vectorTimestamps(): FileTimestamp[] {
  const { pkcs8_pem: pem } = JSON.parse(readFileSync(join(FILE, '../keys.json'), 'utf8')) as { pkcs8_pem: string };
  const key = SigningKey.fromPem(pem);
  const { tokens } = readTimestampVectors();
  const seal = (size: number, token: string) => sealTimestamp(key, size, Buffer.from(token, 'base64'));
  return [seal(3, tokens.other_authority), seal(8, tokens.checkpoint)];
}

export const sealTimestamp = (key: SigningKey, size: number, token: Uint8Array): FileTimestamp =>
  signNow(draftTimestamp(key, size, token), key);
