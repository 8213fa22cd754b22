import { DataSource } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { type DatabaseAddress, roleDataSource } from '../database/connection.js';
import { loadSigningKey, replaceSigningKey } from './key-files.js';
import { KEY_CHANNEL } from './key-ring.js';
import { SigningKey } from './signing-key.js';

/**
 * Makes a new signing key in the old one's file and ends the old one's validity a minute from now; its public half stays known,
 * so what it signed stays verifiable. Running processes of this data directory change over by NOTIFY.
 * @returns the kids of the key that ends and of the one that begins
 */
export async function rotateSigningKey(
  settings: Settings,
  address: DatabaseAddress,
): Promise<{ retired: string; active: string }> {
  const old = loadSigningKey(settings);
  const fresh = SigningKey.generate();
  const source = await new DataSource(roleDataSource(address, 'svc_operator', settings)).initialize();
  try {
    // The public half is known before anyone can sign with the private one.
    await source.query(ADD_KEY, [fresh.kid, Buffer.from(fresh.publicKey.bytes)]);
    replaceSigningKey(settings, fresh);
    await source.query(END_KEY, [old.kid]);
    await source.query('select pg_notify($1, $2)', [KEY_CHANNEL, fresh.kid]);
    return { retired: old.kid, active: fresh.kid };
  } finally {
    await source.destroy();
  }
}

const ADD_KEY = `insert into signing_key (kid, public_key, not_before) values ($1, $2, now() - interval '1 minute')`;
const END_KEY = `update signing_key set not_after = now() + interval '1 minute' where kid = $1 and not_after is null`;
