import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { witnessVerifierKey, type Witness } from '../../evidence/cosignature.js';
import { SigningKey } from '../../evidence/signing-key.js';
import { witnessName } from '../../evidence/witness-statement.js';
import { SettingsInvalid, type Settings } from '../config/settings.js';
import { place } from './key-files.js';
import { hasSigner } from './own-keys.js';

/** What this server cosigns the logs of others with, in an epoch of its own log. */
export interface OwnWitness extends Witness {
  readonly verifierKey: string;
  readonly signer: SigningKey;
}

/** Where the key is: SVC_WITNESS_KEY_FILE, or `<data dir>/keys/witness-key.pem`. */
const witnessKeyFile = ({ evidence, process }: Settings): string =>
  evidence.witnessKeyFile ?? join(process.dataDir, 'keys', 'witness-key.pem');

/**
 * The secret from which the keys of the witness are derived. One that is not there is made, unless the settings name
 * it, or secrets are not made by themselves.
 * @returns undefined where this server has none, so that it cosigns nothing
 * @throws SettingsInvalid for a file that cannot be used
 */
export function findWitnessSecret(settings: Settings): SigningKey | undefined {
  const file = witnessKeyFile(settings);
  const { evidence, process } = settings;
  try {
    return SigningKey.fromPem(readFileSync(file, 'utf8'));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isMissing || evidence.witnessKeyFile !== undefined)
      throw new SettingsInvalid([
        `SVC_WITNESS_KEY_FILE: cannot use the witness key ${file}: ${(error as Error).message}. "svc key create-witness ${file}" makes one where none is`,
      ]);
  }
  if (process.nodeEnv === 'production' || hasSigner(settings)) return undefined;
  place(file, SigningKey.generate().toPem(), false);
  return SigningKey.fromPem(readFileSync(file, 'utf8'));
}

/** That the file of SVC_WITNESS_KEY_FILE, where it is set, can be used. @throws SettingsInvalid where not */
export function checkNamedWitness(settings: Settings): void {
  if (settings.evidence.witnessKeyFile !== undefined) findWitnessSecret(settings);
}

/** Makes a file that is not there yet, mode 0600. @throws Error with the code EEXIST */
export function createWitnessFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, SigningKey.generate().toPem(), { mode: 0o600, flag: 'wx', flush: true });
}

/**
 * The witness that a server is while its own log is in an epoch. A restored database has forgotten what it cosigned
 * last, so it goes on as another witness, with another key: no witness signs two logs under one origin.
 * @param origin of the server's own log
 */
export function witnessOf(secret: SigningKey, origin: string): OwnWitness {
  const signer = secret.derive(`svc-witness-key/v1\n${origin}`);
  const witness = { name: witnessName(origin), key: signer.publicKey };
  return { ...witness, verifierKey: witnessVerifierKey(witness), signer };
}
