import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../config/settings.js';
import { SigningKey } from './signing-key.js';

/** Where this process's signing key is: SVC_SIGNING_KEY_FILE, or `<data dir>/keys/signing-key.pem`. */
export function signingKeyFile(settings: Settings): string {
  return settings.evidence.signingKeyFile ?? join(settings.process.dataDir, 'keys', 'signing-key.pem');
}

/**
 * Reads the signing key. In the data directory a first one is made, mode 0600; of several processes that start at once one
 * makes it and the others read it. A file named in the settings must be there.
 */
export function loadSigningKey(settings: Settings): SigningKey {
  const file = signingKeyFile(settings);
  const made = settings.evidence.signingKeyFile === undefined;
  try {
    return SigningKey.fromPem(readFileSync(file, 'utf8'));
  } catch (error) {
    if (!made || (error as NodeJS.ErrnoException).code !== 'ENOENT') {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(
        `Cannot use the signing key ${file}: ${reason}. Make one with: openssl genpkey -algorithm ed25519`,
        { cause: error },
      );
    }
  }
  placeKey(file, SigningKey.generate(), false);
  return SigningKey.fromPem(readFileSync(file, 'utf8'));
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
