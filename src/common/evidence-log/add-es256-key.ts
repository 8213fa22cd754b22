import type { Settings } from '../config/settings.js';
import type { DatabaseAddress } from '../database/connection.js';
import { Es256SigningKey } from '../../evidence/forms/signature-keys.js';
import { noNewKey, notTheKeys, settleKeys } from './begin-key-chain.js';
import { replaceKeyFile } from './key-files.js';
import { lastOf, readEs256Rows, readKeyRows, withEs256 } from './known-keys.js';
import { hasSigner } from './own-keys.js';
import { withKeys } from './rotate-signing-key.js';

/** The key on P-256 that signs COSE receipts from now on, and the one that ends. */
export interface Es256Addition {
  readonly kid: string;
  readonly retired: string | null;
}

/**
 * Names a key on P-256 by the key for receipts: one of the file, or of the signer, that the database does not know,
 * else a new one, which is added to the file. It takes the place of the one before it.
 * @throws SettingsInvalid when the key for receipts is not at hand, or the signer has no new key
 */
export function addEs256Key(
  settings: Settings,
  address: DatabaseAddress,
  overlapSeconds: number,
): Promise<Es256Addition> {
  return withKeys(settings, address, async (query, statements) => {
    const { file, known } = await settleKeys(settings, query);
    const { es256 } = withEs256({ known, unchained: [] }, await readEs256Rows(query));
    const receiptsKid = lastOf(known, 'receipts')?.key.kid;
    const signer = file.keys.find(({ key }) => key.kid === receiptsKid)?.key;
    if (!signer) throw notTheKeys(settings, await readKeyRows(query), file);
    const unused = file.es256.find(({ kid }) => !es256.some(({ key }) => key.kid === kid));
    if (!unused && hasSigner(settings)) throw noNewKey('ES256 (on P-256)');
    const next = unused ?? Es256SigningKey.generate();
    // The file first: a key that only the file knows is taken by the next attempt.
    if (!unused) replaceKeyFile(settings, { ...file, es256: [next, ...file.es256] });
    const before = es256.findLast(({ term }) => term.until === Infinity);
    const ends = new Date(Date.now() + overlapSeconds * 1000);
    await statements.addEs256(signer, next.publicKey, before ? { kid: before.key.kid, ends } : null);
    return { kid: next.kid, retired: before?.key.kid ?? null };
  });
}
