import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Decrypter, Encrypter } from 'age-encryption';
import type { Settings } from '../../common/config/settings.js';
import { findFirstKey, findKeyFile, signingKeyFile } from '../../common/evidence-log/key-files.js';
import { hasSigner } from '../../common/evidence-log/own-keys.js';
import { UserError } from '../../common/user-error.js';
import { FILES, KEYS } from './format.js';
import type { TarEntry } from './tar.js';

/** The passphrase of a file, without the newline at its end. @throws UserError */
export function readPassphrase(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UserError(`Cannot read the passphrase of ${file}: ${(error as Error).message}`);
  }
  if (text === '') throw new UserError(`${file} is empty: write a passphrase into it`);
  return text;
}

/** The public half of the first key: with it alone a restored database knows its own chain. */
export function* firstKeyEntry(settings: Settings): Generator<TarEntry> {
  const file = existsSync(signingKeyFile(settings)) ? findKeyFile(settings) : undefined;
  const first = findFirstKey(settings, file);
  if (first) yield { name: `${FILES}keys/first-key.pem`, content: Buffer.from(first.toPem()) };
}

/** The key file, encrypted by the passphrase: age (https://age-encryption.org/v1), scrypt. @throws UserError */
export async function keysEntry(settings: Settings, passphrase: string): Promise<TarEntry> {
  const file = signingKeyFile(settings);
  if (!existsSync(file) && hasSigner(settings))
    throw new UserError(
      'The keys are with the signer of SVC_SIGNER_URL: keep them by its own means, without --with-keys',
    );
  if (!existsSync(file)) throw new UserError(`There are no keys to back up: ${file} does not exist`);
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  return { name: KEYS, content: Buffer.from(await encrypter.encrypt(readFileSync(file))) };
}

/** Before anything is loaded. @throws UserError where the keys of the backup would take the place of others */
export function expectNoKeys(settings: Settings): void {
  const file = signingKeyFile(settings);
  if (!existsSync(file)) return;
  throw new UserError(
    settings.evidence.signingKeyFile === undefined
      ? `${file} exists already. Restore into a new data directory.`
      : `SVC_SIGNING_KEY_FILE names ${file}, which exists already. Leave out --passphrase-file to go on with it, or name a file that is not there yet.`,
  );
}

/** Puts the keys of a backup where the servers look for them. @returns the file @throws UserError */
export async function placeKeys(settings: Settings, { content }: TarEntry, passphrase: string): Promise<string> {
  expectNoKeys(settings);
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  const keys = await decrypter.decrypt(content).catch(() => {
    throw new UserError('The passphrase does not open the keys of the backup');
  });
  const path = signingKeyFile(settings);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, keys, { mode: 0o600, flag: 'wx', flush: true });
  return path;
}
