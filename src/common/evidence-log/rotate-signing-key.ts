import { DataSource } from 'typeorm';
import { SettingsInvalid, type Settings } from '../config/settings.js';
import { type DatabaseAddress, roleDataSource } from '../database/connection.js';
import { rowsOf } from '../tenancy/tenancy.js';
import { findSigningKey, replaceSigningKey, signingKeyFile } from './key-files.js';
import { KEY_CHANNEL } from './key-ring.js';
import { SigningKey } from '../../evidence/signing-key.js';

/**
 * Makes one key the only one that signs, and ends the validity of all others after the overlap; their public halves
 * stay known, so what they signed stays verifiable. It is the key of the file when the database does not know it yet (a
 * fleet is given the file first); else a new one takes the file's place. Running processes read their files again by
 * NOTIFY.
 * @returns the kids of the keys that end and of the one that begins
 * @throws SettingsInvalid for a key that was rotated out before
 */
export async function rotateSigningKey(
  settings: Settings,
  address: DatabaseAddress,
  overlapSeconds = 60,
): Promise<{ retired: string[]; active: string }> {
  const found = findSigningKey(settings);
  const source = await new DataSource(roleDataSource(address, 'svc_operator', { settings })).initialize();
  try {
    const [known] = found ? await source.query<{ not_after: Date | null }[]>(FIND_KEY, [found.kid]) : [];
    if (known?.not_after) throw outdated(settings);
    const fresh = found && !known ? found : SigningKey.generate();
    // The public half is known before anyone can sign with the private one.
    await source.query(ADD_KEY, [fresh.kid, Buffer.from(fresh.publicKey.bytes)]);
    if (fresh !== found) replaceSigningKey(settings, fresh);
    const ended = rowsOf<{ kid: string }>(await source.query(END_KEYS, [fresh.kid, overlapSeconds]));
    await source.query('select pg_notify($1, $2)', [KEY_CHANNEL, fresh.kid]);
    return { retired: ended.map(({ kid }) => kid), active: fresh.kid };
  } finally {
    await source.destroy();
  }
}

const outdated = (settings: Settings): SettingsInvalid =>
  new SettingsInvalid([
    `SVC_SIGNING_KEY_FILE: ${signingKeyFile(settings)} holds a key that was rotated out. Name the file of the key that signs now, or a new one that "svc key create-signing FILE" makes`,
  ]);

const FIND_KEY = 'select not_after from signing_key where kid = $1';
const ADD_KEY = `insert into signing_key (kid, public_key, not_before) values ($1, $2, now() - interval '1 minute')`;
const END_KEYS = `
  update signing_key set not_after = now() + make_interval(secs => $2)
  where kid <> $1 and not_after is null returning kid`;
