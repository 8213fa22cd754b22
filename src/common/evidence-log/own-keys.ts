import type { Settings } from '../config/settings.js';
import type { VerifyingKey } from '../../evidence/signing-key.js';
import { listSignerKeys } from './external-signer.js';
import { findFirstKey, findKeyFile, type KeyFile, signingKeyFile } from './key-files.js';

/** Whether the keys are with a program outside. */
export const hasSigner = ({ evidence }: Settings): boolean => evidence.signerUrl !== undefined;

/** Where the keys are, for messages. */
export const placeOfKeys = (settings: Settings): string =>
  hasSigner(settings) ? `the signer ${settings.evidence.signerUrl}` : signingKeyFile(settings);

/** The setting that says where. */
export const settingOfKeys = (settings: Settings): string =>
  hasSigner(settings) ? 'SVC_SIGNER_URL' : 'SVC_SIGNING_KEY_FILE';

/**
 * The keys that this process signs with: those of the signer, and after them those of a key file, so that each can name
 * the other's when the keys move.
 * @returns undefined where there is no signer, and the data directory has no file yet
 * @throws SettingsInvalid for a file that cannot be used, UserError for a signer that does not answer
 */
export async function findOwnKeys(settings: Settings): Promise<KeyFile | undefined> {
  const file = findKeyFile(settings);
  if (!hasSigner(settings)) return file;
  const { first, keys, es256, peers } = await listSignerKeys(settings);
  return {
    first: first ?? file?.first ?? null,
    keys: [...keys, ...(file?.keys ?? [])],
    es256: [...es256, ...(file?.es256 ?? [])],
    peers: [...peers, ...(file?.peers ?? [])],
  };
}

/** Whether keys are made where none are: the file is the data directory's own. */
export const makesOwnKeys = (settings: Settings): boolean =>
  settings.evidence.signingKeyFile === undefined && !hasSigner(settings);

/** The first key that this machine keeps; only where it keeps none, the signer is asked. */
export async function findKeptFirst(settings: Settings): Promise<VerifyingKey | undefined> {
  const file = findKeyFile(settings);
  return findFirstKey(settings, file) ?? findFirstKey(settings, await findOwnKeys(settings));
}
