import type { Settings } from '../../common/config/settings.js';
import { findFirstKey, type KeyFile } from '../../common/evidence-log/key-files.js';
import { findSigningFault } from '../../common/evidence-log/key-ring.js';
import { findOwnKeys, hasSigner, placeOfKeys } from '../../common/evidence-log/own-keys.js';
import { type KnownKey, KnownKeys, lastOf } from '../../common/evidence-log/known-keys.js';
import type { Check } from '../../common/health/check.js';
import type { Query } from '../../common/tenancy/cross-tenant.js';
import { PURPOSES } from '../../evidence/purposes.js';
import type { EvidenceSigner } from '../../evidence/signing-key.js';

/** That one chain of keys signs in this database, and this machine has its newest keys. */
export const signingKeyCheck = (settings: Settings, ask: Query): Check => ({
  name: 'signing_key',
  remedy:
    'Have one key file on all machines (SVC_SIGNING_KEY_FILE): copy it from the machine that has it. With SVC_SIGNER_URL, see that the signer runs, answers this machine and has the keys in use. Where the keys are lost, "svc key create-signing FILE" makes new ones and "svc key rotate-signing --new-chain" begins with them. A row to which no chain leads was written by someone with the database and without its keys: find out who, then delete it as a superuser.',
  run: async () => {
    const file = await findOwnKeys(settings);
    const { known, unchained } = await new KnownKeys(settings).view(ask);
    if (unchained.length > 0)
      throw new Error(
        `no chain leads from the first key to ${unchained.join(', ')} in the tables signing_key and es256_key`,
      );
    if (!file && known.length === 0) return 'none yet; the first start makes it';
    if (!file) throw new Error(`${placeOfKeys(settings)} does not exist; the keys in use are ${inUse(known)}`);
    const lacking = PURPOSES.filter((purpose) => !heldKey(file, lastOf(known, purpose)));
    if (lacking.length > 0 && known.length > 0)
      throw new Error(`${placeOfKeys(settings)} has not the key for ${lacking.join(', ')}; in use are ${inUse(known)}`);
    const own = PURPOSES.flatMap((purpose) => {
      const held = heldKey(file, lastOf(known, purpose));
      return held ? [{ purpose, key: held }] : [];
    });
    const fault = await findSigningFault(own);
    if (fault !== undefined) throw new Error(fault);
    const place = hasSigner(settings) ? `, with ${placeOfKeys(settings)}` : '';
    return `in use are ${inUse(known)}${place}${describeForm(settings, file, known)}`;
  },
});

const heldKey = (file: KeyFile, wanted: KnownKey | undefined): EvidenceSigner | undefined =>
  file.keys.find(({ key }) => key.kid === wanted?.key.kid)?.key;

const inUse = (known: readonly KnownKey[]): string =>
  PURPOSES.map((purpose) => {
    const one = lastOf(known, purpose);
    return `${purpose} ${one ? `${one.key.kid} (created ${one.notBefore.toISOString()})` : 'none'}`;
  }).join(', ');

/** What a file of one key leaves undone. */
function describeForm(settings: Settings, file: KeyFile, known: readonly KnownKey[]): string {
  const kids = new Set(PURPOSES.map((purpose) => lastOf(known, purpose)?.key.kid));
  const one = kids.size === 1 ? '; one key signs everything: "svc key rotate-signing" gives each purpose its own' : '';
  const kept = file.first || findFirstKey(settings, file) ? '' : '; the first start keeps the first key';
  return one + kept;
}
