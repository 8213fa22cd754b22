import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SettingsInvalid, type Settings } from '../config/settings.js';
import { SigningKey } from '../../evidence/signing-key.js';

/** Where this process's signing key is: SVC_SIGNING_KEY_FILE, or `<data dir>/keys/signing-key.pem`. */
export function signingKeyFile(settings: Settings): string {
  return settings.evidence.signingKeyFile ?? join(settings.process.dataDir, 'keys', 'signing-key.pem');
}

/**
 * Reads the signing key.
 * @returns undefined where the data directory has none yet
 * @throws SettingsInvalid where the file cannot be used, or one that the settings name is not there
 */
export function findSigningKey(settings: Settings): SigningKey | undefined {
  const file = signingKeyFile(settings);
  try {
    return SigningKey.fromPem(readFileSync(file, 'utf8'));
  } catch (error) {
    const isNamed = settings.evidence.signingKeyFile !== undefined;
    if (!isNamed && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = `Put the key file of the other machines there; for the first start, "svc key create-signing ${file}" makes one`;
    throw new SettingsInvalid([`SVC_SIGNING_KEY_FILE: cannot use the signing key ${file}: ${reason}. ${remedy}`]);
  }
}

/**
 * Makes a first key in the data directory, mode 0600. Of several processes that start at once one makes it and the
 * others read it.
 */
export function makeSigningKey(settings: Settings): SigningKey {
  const file = signingKeyFile(settings);
  placeKey(file, SigningKey.generate(), false);
  return SigningKey.fromPem(readFileSync(file, 'utf8'));
}

/** Makes a key in a file that is not there yet, mode 0600. @throws Error with the code EEXIST */
export function createKeyFile(file: string): SigningKey {
  const key = SigningKey.generate();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, key.toPem(), { mode: 0o600, flag: 'wx', flush: true });
  return key;
}

/** Puts a key in the file's place in one step, so that no reader sees half a key. */
export function replaceSigningKey(settings: Settings, key: SigningKey): void {
  placeKey(signingKeyFile(settings), key, true);
}

function placeKey(file: string, key: SigningKey, replace: boolean): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const whole = `${file}.${randomUUID()}`;
  writeFileSync(whole, key.toPem(), { mode: 0o600, flag: 'wx', flush: true });
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
