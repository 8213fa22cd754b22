import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SettingsInvalid, type Settings } from '../config/settings.js';
import { PEERS, type Purpose, PURPOSES } from '../../evidence/purposes.js';
import { Es256SigningKey, type Es256VerifyingKey } from '../../evidence/forms/signature-keys.js';
import type { Signer } from '../../evidence/signer.js';
import { type EvidenceSigner, SigningKey, type VerifyingKey, verifyingKeyFromPem } from '../../evidence/signing-key.js';

/** A key that this process signs with. Null: of a file of one key, which does not say what for. */
export interface HeldKey {
  readonly purpose: Purpose | null;
  readonly key: EvidenceSigner;
}

/**
 * What a key file holds, and what a signer outside has: keys, newest first for each purpose, and the public half of the
 * first key of all.
 */
export interface KeyFile {
  readonly first: VerifyingKey | null;
  readonly keys: readonly HeldKey[];
  /** Newest first; none unless `svc key add-es256` was run. */
  readonly es256: readonly Signer<Es256VerifyingKey>[];
  /** By which peers know this server, newest first; see peer-identity.ts. */
  readonly peers: readonly EvidenceSigner[];
}

/** Where this process's signing keys are: SVC_SIGNING_KEY_FILE, or `<data dir>/keys/signing-key.pem`. */
export function signingKeyFile(settings: Settings): string {
  return settings.evidence.signingKeyFile ?? join(settings.process.dataDir, 'keys', 'signing-key.pem');
}

/** Where the data directory keeps the public half of the first key, for key files that do not name it. */
const firstKeyFile = (settings: Settings): string => join(settings.process.dataDir, 'keys', 'first-key.pem');

/**
 * Reads the key file.
 * @returns undefined where the data directory has none yet
 * @throws SettingsInvalid where the file cannot be used, or one that the settings name is not there
 */
export function findKeyFile(settings: Settings): KeyFile | undefined {
  const file = signingKeyFile(settings);
  try {
    return readKeyFile(file);
  } catch (error) {
    const isNamed = settings.evidence.signingKeyFile !== undefined;
    if (!isNamed && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = `Put the key file of the other machines there; for the first start, "svc key create-signing ${file}" makes one`;
    throw new SettingsInvalid([`SVC_SIGNING_KEY_FILE: cannot use the signing key ${file}: ${reason}. ${remedy}`]);
  }
}

const BLOCK = /(?:^# ([a-z0-9]+)[^\n]*\n)?-----BEGIN (PUBLIC|PRIVATE) KEY-----[^-]*-----END \2 KEY-----/gm;

/** PEM blocks (RFC 7468), each after a line that says what it is for: `# receipts`; `# first` is a public key. */
export function readKeyFile(file: string): KeyFile {
  let first: VerifyingKey | null = null;
  const keys: HeldKey[] = [];
  const es256: Es256SigningKey[] = [];
  const peers: SigningKey[] = [];
  for (const [block, label, kind] of readFileSync(file, 'utf8').replaceAll('\r\n', '\n').matchAll(BLOCK)) {
    const pem = block.slice(block.indexOf('-----'));
    if (kind === 'PUBLIC') first ??= verifyingKeyFromPem(pem);
    else if (label === ES256_LABEL) es256.push(Es256SigningKey.fromPem(pem));
    else if (label === PEERS) peers.push(SigningKey.fromPem(pem));
    else keys.push({ purpose: PURPOSES.find((purpose) => purpose === label) ?? null, key: SigningKey.fromPem(pem) });
  }
  if (keys.length === 0) throw new Error('it holds no private key in PKCS#8 PEM');
  return { first, keys, es256, peers };
}

/** The key that signs receipts by this file: of a file of one key, that one. */
export function receiptsKeyOf({ keys }: Pick<KeyFile, 'keys'>): EvidenceSigner {
  const of = (wanted: Purpose | null) => keys.find(({ purpose }) => purpose === wanted);
  return (of('receipts') ?? of(null) ?? keys[0]!).key;
}

/**
 * Makes keys in the data directory, mode 0600. Of several processes that start at once one makes them and the others
 * read them.
 */
export function makeKeyFile(settings: Settings): KeyFile {
  const file = signingKeyFile(settings);
  placeKeys(file, freshKeys(), false);
  return readKeyFile(file);
}

/**
 * Makes a file that is not there yet, mode 0600, with a key for each purpose.
 * @param after the file that is in use: its keys go along, so that they can name the new ones
 * @returns the key for receipts
 * @throws Error with the code EEXIST
 */
export function createKeyFile(file: string, after?: KeyFile): EvidenceSigner {
  const made = freshKeys(after);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, textOf(made), { mode: 0o600, flag: 'wx', flush: true });
  return receiptsKeyOf(made);
}

/** Puts keys in the file's place in one step, so that no reader sees half a file; those of a signer are not in it. */
export function replaceKeyFile(settings: Settings, keys: KeyFile): void {
  placeKeys(signingKeyFile(settings), keys, true);
}

/** The first key that the key file names, else the one that the data directory keeps. */
export function findFirstKey(settings: Settings, file: KeyFile | undefined): VerifyingKey | undefined {
  if (file?.first) return file.first;
  try {
    return verifyingKeyFromPem(readFileSync(firstKeyFile(settings), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new SettingsInvalid([`${firstKeyFile(settings)} cannot be read: ${(error as Error).message}`]);
  }
}

/** Keeps the first key in the data directory. Where that is read-only, the key file has to name it. */
export function keepFirstKey(settings: Settings, first: VerifyingKey): void {
  try {
    place(firstKeyFile(settings), first.toPem(), true);
  } catch (error) {
    if (!['EROFS', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function freshKeys(after?: KeyFile): KeyFile {
  const fresh = PURPOSES.map((purpose) => ({ purpose, key: SigningKey.generate() }));
  const first = after ? (after.first ?? receiptsKeyOf(after).publicKey) : fresh[0]!.key.publicKey;
  const peers = after && after.peers.length > 0 ? after.peers : [SigningKey.generate()];
  return { first, keys: [...fresh, ...(after?.keys ?? [])], es256: after?.es256 ?? [], peers };
}

function textOf({ first, keys, es256, peers }: KeyFile): string {
  const blocks = keys.map(({ purpose, key }) => pemOf(key, purpose));
  const others = [...es256.map((key) => pemOf(key, ES256_LABEL)), ...peers.map((key) => pemOf(key, PEERS))];
  return [...(first ? [`# first\n${first.toPem()}`] : []), ...blocks, ...others].join('');
}

const ES256_LABEL = 'es256';

/** Nothing for a key whose private half is elsewhere. */
function pemOf(key: Signer, label: string | null): string {
  if (!(key instanceof SigningKey || key instanceof Es256SigningKey)) return '';
  return `${label === null ? '' : `# ${label}\n`}${key.toPem()}`;
}

const placeKeys = (file: string, keys: KeyFile, replace: boolean): void => place(file, textOf(keys), replace);

/** A file of mode 0600, whole or not at all; without `replace` one that is there stays. */
export function place(file: string, text: string, replace: boolean): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const whole = `${file}.${randomUUID()}`;
  writeFileSync(whole, text, { mode: 0o600, flag: 'wx', flush: true });
  if (replace) {
    renameSync(whole, file);
    return;
  }
  try {
    linkSync(whole, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(whole);
  }
}
