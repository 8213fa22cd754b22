import { createSecretKey, type KeyObject } from 'node:crypto';
import { SettingsInvalid, type Settings } from '../config/settings.js';
import { readKeptSecret } from '../database/bootstrap.js';
import { credentialsPath } from '../database/credentials-file.js';
import type { TokenKeys } from './token-verifier.js';

/**
 * The secret of jwt_hs256: SVCD_JWT_HS256_SECRET, and outside production that of credentials.json.
 * @throws SettingsInvalid where there is neither
 */
export async function readSharedSecret(settings: Settings): Promise<string> {
  const { jwtSecret } = settings.daemon;
  if (jwtSecret !== undefined) return jwtSecret;
  const kept = await readKeptSecret(settings, 'daemon_jwt_secret');
  if (kept !== undefined) return kept;
  const looked =
    settings.process.nodeEnv === 'production'
      ? ''
      : `, and ${credentialsPath(settings)} has no daemon_jwt_secret (the first "svc start" makes it)`;
  throw new SettingsInvalid([
    `SVCD_JWT_HS256_SECRET: jwt_hs256 needs a secret of at least 32 characters, and none is set${looked}`,
  ]);
}

/** The one key of jwt_hs256. */
export class SharedSecret implements TokenKeys {
  private readonly key: KeyObject;

  constructor(
    secret: string,
    readonly issuer: string | undefined,
  ) {
    this.key = createSecretKey(Buffer.from(secret));
  }

  async keyFor(): Promise<KeyObject> {
    return this.key;
  }
}
