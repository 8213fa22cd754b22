import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoggedRecord } from '../../../src/evidence/forms/logged-record.js';
import { writeTlogProof } from '../../../src/evidence/forms/tlog-proof.js';
import { Es256SigningKey } from '../../../src/evidence/forms/signature-keys.js';
import type { ProofPack } from '../../../src/evidence/pack-format.js';
import { SigningKey } from '../../../src/evidence/signing-key.js';
import { signCoseReceipt, signReceiptBundle, signStatement } from '../../kit/signed-forms.js';

const VECTORS = join(import.meta.dirname, '../../../docs/formats/vectors');

/** Its signature, the last 64 bytes, is another each time. */
export const ES256_VECTOR = 'receipt.es256.cose-receipt';

/** The first receipt and the retrieval of the first version's proof pack in the standard forms, by file name. */
export function formVectors(): Record<string, Uint8Array> {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(VECTORS, name), 'utf8'));
  const pack = read('v1/sound.svcpack') as ProofPack;
  const keys = read('keys.json') as { pkcs8_pem: string; es256_pkcs8_pem: string };
  const key = SigningKey.fromPem(keys.pkcs8_pem);
  const es256 = Es256SigningKey.fromPem(keys.es256_pkcs8_pem);
  const [receipt] = pack.receipts;
  const [retrieval] = pack.retrievals;
  const records: Record<string, LoggedRecord> = {
    receipt: { ...receipt!, type: 'execution', record: bytesOf(receipt!.cose), checkpoint: pack.checkpoint },
    retrieval: { ...retrieval!, type: 'retrieval', record: bytesOf(retrieval!.cbor), checkpoint: pack.checkpoint },
  };
  const base = 'https://svc.local';
  const files = Object.entries(records).flatMap(([name, logged]): [string, Uint8Array][] => {
    const coseReceipt = signCoseReceipt(logged, key);
    return [
      [`${name}.tlog-proof`, writeTlogProof(logged)],
      [`${name}.cose-receipt`, coseReceipt],
      [`${name}.statement`, signStatement(logged, { issuer: base, receipts: [coseReceipt], key })],
      [`${name}.sigstore.json`, signReceiptBundle(logged, { base, key })],
    ];
  });
  return Object.fromEntries([
    ...files,
    ['receipt.cose', records.receipt!.record],
    [ES256_VECTOR, signCoseReceipt(records.receipt!, es256)],
  ]);
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));
