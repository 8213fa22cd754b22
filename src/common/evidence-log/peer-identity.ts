import { SettingsInvalid, type Settings } from '../config/settings.js';
import type { Query } from '../tenancy/cross-tenant.js';
import { type EvidenceSigner, SigningKey, VerifyingKey } from '../../evidence/signing-key.js';
import { type KeyFile, replaceKeyFile } from './key-files.js';
import { hasSigner, makesOwnKeys, placeOfKeys, settingOfKeys } from './own-keys.js';

/**
 * By which peers know the daemons of one database: an Ed25519 key of the key file, or of the signer, that signs
 * requests to them. The database names it, so that daemons on several machines are one peer to others (0255).
 */
export interface PeerIdentity {
  readonly publicKey: VerifyingKey;
  /** Undefined where this machine does not have the private half. */
  readonly signer: EvidenceSigner | undefined;
}

interface IdentityRow {
  readonly public_key: Buffer;
}

/**
 * The identity that the database names. Where it names none yet it is the key of the file; a data directory's own file
 * gets one. Called while the keys are locked.
 */
export async function settlePeerKey(
  settings: Settings,
  query: Query,
  file: KeyFile,
): Promise<{ file: KeyFile; peer: PeerIdentity | undefined }> {
  const known = await readIdentity(query, file);
  if (known) return { file, peer: known };
  const settled = file.peers.length === 0 && makesOwnKeys(settings) ? addKey(settings, file) : file;
  const [signer] = settled.peers;
  if (!signer) return { file, peer: undefined };
  await nameKey(query, signer.publicKey);
  return { file: settled, peer: { publicKey: signer.publicKey, signer } };
}

async function readIdentity(query: Query, file: KeyFile): Promise<PeerIdentity | undefined> {
  const [row] = await query<IdentityRow>('select public_key from peer_identity');
  if (!row) return undefined;
  const publicKey = new VerifyingKey(Uint8Array.from(row.public_key));
  return { publicKey, signer: file.peers.find(({ kid }) => kid === publicKey.kid) };
}

/**
 * The file first: a key that only the file knows is named by the next start. A file that cannot be written has none.
 */
function addKey(settings: Settings, file: KeyFile): KeyFile {
  const whole = { ...file, peers: [SigningKey.generate(), ...file.peers] };
  try {
    replaceKeyFile(settings, whole);
    return whole;
  } catch (error) {
    if (!['EROFS', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return file;
  }
}

const nameKey = (query: Query, { kid, bytes }: VerifyingKey): Promise<unknown> =>
  query(
    `insert into peer_identity (kid, public_key) values ($1, $2)
     on conflict (only_one) do update set kid = excluded.kid, public_key = excluded.public_key, since = now()`,
    [kid, Buffer.from(bytes)],
  );

/** What became of the identity. */
export interface PeerKeyReplaced {
  readonly kid: string;
  /** By which peers knew this database until now. */
  readonly replaced: string | null;
}

/**
 * Names another key: one of the file, or of the signer, that is not the one before, else a new one. The one before
 * signs nothing any more. Called while the keys are locked.
 * @throws SettingsInvalid where the signer has no other one
 */
export async function replacePeerKey(settings: Settings, query: Query, file: KeyFile): Promise<PeerKeyReplaced> {
  const before = await readIdentity(query, file);
  const unused = file.peers.find(({ kid }) => kid !== before?.publicKey.kid);
  if (!unused && hasSigner(settings))
    throw new SettingsInvalid([
      'SVC_SIGNER_URL: the signer has no other key with "svc_purposes": ["peers"]. Make one there, and run this again',
    ]);
  const next = unused ?? SigningKey.generate();
  // The file first, as ever; the signer keeps its own.
  if (!hasSigner(settings)) replaceKeyFile(settings, { ...file, peers: [next] });
  await nameKey(query, next.publicKey);
  return { kid: next.kid, replaced: before?.publicKey.kid ?? null };
}

/**
 * The key that signs requests to peers.
 * @throws SettingsInvalid that says where it is to be put
 */
export function signerOfPeers(settings: Settings, identity: PeerIdentity | undefined): EvidenceSigner {
  if (identity?.signer) return identity.signer;
  const place = `${settingOfKeys(settings)}: ${placeOfKeys(settings)}`;
  throw new SettingsInvalid([
    identity
      ? `${place} does not have the key ${identity.publicKey.kid}, by which peers know this database. Copy the block "# peers" of the key file of the machine that has it; where it is lost, "svc peer key --new" names another, and every peer has to add that one`
      : `${place} has no key for peers yet; "svc peer key --new" makes one`,
  ]);
}
