import { SettingsInvalid, type Settings } from '../config/settings.js';
import type { Query } from '../tenancy/cross-tenant.js';
import type { Purpose } from '../../evidence/purposes.js';
import { type EvidenceSigner, SigningKey, VerifyingKey } from '../../evidence/signing-key.js';
import {
  findFirstKey,
  type HeldKey,
  keepFirstKey,
  type KeyFile,
  makeKeyFile,
  receiptsKeyOf,
  replaceKeyFile,
} from './key-files.js';
import { KeyStatements } from './key-statements.js';
import { findOwnKeys, hasSigner, makesOwnKeys, placeOfKeys, settingOfKeys } from './own-keys.js';
import { type PeerIdentity, settlePeerKey } from './peer-identity.js';
import {
  claimedFirst,
  firstKeyOf,
  type SigningKeyRow,
  type KnownKey,
  lastOf,
  readKeyRows,
  viewOf,
} from './known-keys.js';

const SERVER = { principal: 'svc:keys', authType: 'system' };
/** What was signed by one key until now: who has pinned it for the log has this time to pin the first key instead. */
const SPLIT_OVERLAP_MS = 30 * 86_400_000;

/**
 * The keys of this process's file, at the start. A database without keys begins its chain with those; one of before
 * chains begins with the key in use, which takes over the keys there are, once. A second key is never added by a mere
 * start, except that a data directory's own file of one key gets those of the other purposes.
 * @throws SettingsInvalid when the file has no key that signs in this database
 */
export async function settleKeys(
  settings: Settings,
  query: Query,
): Promise<{ file: KeyFile; known: readonly KnownKey[]; peer: PeerIdentity | undefined }> {
  const statements = await KeyStatements.lock(query, SERVER);
  const rows = await readKeyRows(query);
  let file = await findOwnKeys(settings);
  if (rows.length === 0) file = await begin(settings, statements, file ?? makeKeyFile(settings));
  if (!file) throw notTheKeys(settings, rows);
  let first = firstKeyOf(settings, file, await readKeyRows(query));
  if (!first) first = await takeOver(settings, statements, file, rows);
  let { known } = viewOf(first, await readKeyRows(query));
  if (!isUsable(known, file)) throw notTheKeys(settings, await readKeyRows(query), file);
  if (makesOwnKeys(settings)) {
    file = await split(settings, statements, { ...file, first }, known);
    ({ known } = viewOf(first, await readKeyRows(query)));
  }
  keepFirstKey(settings, first);
  return { known, ...(await settlePeerKey(settings, query, { ...file, first })) };
}

/** Whether some key of the file still signs receipts here. */
const isUsable = (known: readonly KnownKey[], file: KeyFile): boolean =>
  known.some(
    ({ key, terms }) =>
      (terms.get('receipts')?.until ?? 0) * 1000 > Date.now() && file.keys.some((held) => held.key.kid === key.kid),
  );

async function begin(settings: Settings, statements: KeyStatements, file: KeyFile): Promise<KeyFile> {
  const first = receiptsKeyOf(file);
  if (file.first && file.first.kid !== first.kid) throw anothersFile(settings, file.first);
  await statements.addFirst(first);
  for (const purpose of ['log', 'exports'] as const) {
    const held = file.keys.find((one) => one.purpose === purpose);
    if (held) await statements.addNext(first, { key: held.key.publicKey, purpose, replaces: first.kid, ends: null });
  }
  return file;
}

/** An installation of before chains: the key in use vouches for those that the table has now, and never again. */
async function takeOver(
  settings: Settings,
  statements: KeyStatements,
  file: KeyFile,
  rows: readonly SigningKeyRow[],
): Promise<VerifyingKey> {
  const first = receiptsKeyOf(file);
  const own = rows.find(({ kid }) => kid === first.kid);
  if (!own || own.not_after !== null || rows.some(({ statement }) => statement !== null))
    throw notTheKeys(settings, rows, file);
  await statements.addFirst(first);
  for (const row of rows.filter((one) => one !== own))
    await statements.adopt(first, {
      key: new VerifyingKey(Uint8Array.from(row.public_key)),
      notBefore: row.not_before,
      notAfter: row.not_after ?? new Date(),
    });
  return first.publicKey;
}

/** Gives a file of one key those of the other purposes. */
async function split(
  settings: Settings,
  statements: KeyStatements,
  file: KeyFile,
  known: readonly KnownKey[],
): Promise<KeyFile> {
  const signer = file.keys.find(({ key }) => key.kid === lastOf(known, 'receipts')?.key.kid)?.key;
  const lacking = (['log', 'exports'] as const).filter((purpose) => lastOf(known, purpose)?.key.kid === signer?.kid);
  if (!signer || lacking.length === 0) return file;
  const made = lacking.map((purpose) => unusedKey(file, known, purpose));
  const rest = file.keys.filter((held) => !made.some((one) => one.key === held.key)).map((held) => named(held, signer));
  const whole = { ...file, keys: [...rest, ...made] };
  // The file first: a key that only the file knows is used by the next start.
  replaceKeyFile(settings, whole);
  const ends = new Date(Date.now() + SPLIT_OVERLAP_MS);
  for (const { purpose, key } of made)
    await statements.addNext(signer, { key: key.publicKey, purpose, replaces: signer.kid, ends });
  return whole;
}

const named = (held: HeldKey, signer: EvidenceSigner): HeldKey =>
  held.key === signer ? { ...held, purpose: 'receipts' } : held;

/**
 * The key for a purpose that the file has and the database does not know, or a new one.
 * @throws SettingsInvalid where keys are made in the signer alone, and it has no new one
 */
export function nextKey<P extends Purpose>(
  settings: Settings,
  file: KeyFile | undefined,
  known: readonly KnownKey[],
  purpose: P,
): HeldKey & { purpose: P } {
  const next = unusedKey(file, known, purpose);
  if (hasSigner(settings) && !file?.keys.includes(next)) throw noNewKey(purpose);
  return next;
}

export const noNewKey = (what: string): SettingsInvalid =>
  new SettingsInvalid([
    `SVC_SIGNER_URL: the signer has no key for ${what} that the database does not know. Make one there, and run this again`,
  ]);

function unusedKey<P extends Purpose>(
  file: KeyFile | undefined,
  known: readonly KnownKey[],
  purpose: P,
): HeldKey & { purpose: P } {
  const isUnused = (held: HeldKey): held is HeldKey & { purpose: P } =>
    held.purpose === purpose && !known.some(({ key }) => key.kid === held.key.kid);
  return file?.keys.find(isUnused) ?? { purpose, key: SigningKey.generate() };
}

/** For a process whose keys are not those that the database is signed with. */
export function notTheKeys(settings: Settings, rows: readonly SigningKeyRow[], file?: KeyFile): SettingsInvalid {
  const { known } = viewOf(findFirstKey(settings, undefined) ?? claimedFirst(rows), rows);
  const path = placeOfKeys(settings);
  const inUse = lastOf(known, 'receipts')?.key.kid ?? 'no key just now';
  const own = file && receiptsKeyOf(file).kid;
  const isOver = known.some(({ key, notAfter }) => key.kid === own && notAfter !== null);
  const has = own ? `holds ${own}${isOver ? ', which was rotated out' : ''}` : 'does not exist';
  return new SettingsInvalid([
    `${settingOfKeys(settings)}: this database is signed with ${inUse}, and ${path} ${has}. ` +
      'Copy the key file of the process that signs; where it is lost, "svc key create-signing FILE" and "svc key rotate-signing --new-chain" begin with new keys',
  ]);
}

const anothersFile = (settings: Settings, first: VerifyingKey): SettingsInvalid =>
  new SettingsInvalid([
    `${settingOfKeys(settings)}: the keys in ${placeOfKeys(settings)} continue the chain of ${first.kid}, which this database does not have. Make a file for it: "svc key create-signing FILE"`,
  ]);
