import { DataSource } from 'typeorm';
import type { Settings } from '../config/settings.js';
import type { DatabaseAddress } from '../database/connection.js';
import { roleDataSource } from '../database/role-data-source.js';
import type { Query } from '../tenancy/cross-tenant.js';
import { rowsOf } from '../tenancy/tenancy.js';
import { OPERATOR } from './audit-trail.js';
import { nextKey, notTheKeys, settleKeys } from './begin-key-chain.js';
import { findFirstKey, type HeldKey, keepFirstKey, type KeyFile, replaceKeyFile } from './key-files.js';
import { KEY_CHANNEL } from './key-ring.js';
import { KeyStatements } from './key-statements.js';
import { findOwnKeys } from './own-keys.js';
import { claimedFirst, type KnownKey, lastOf, readKeyRows, viewOf } from './known-keys.js';
import { type Purpose, PURPOSES } from '../../evidence/purposes.js';
import type { EvidenceSigner } from '../../evidence/signing-key.js';

export interface RotationOptions {
  /** How long the keys before stay valid. */
  readonly overlapSeconds?: number;
  readonly purposes?: readonly Purpose[];
  /** Begin with new keys that no old one names: for when the old ones are lost. */
  readonly newChain?: boolean;
}
export interface Rotation {
  /** Kids of the keys that end. */
  readonly retired: string[];
  /** The kids of the keys that sign from now on. */
  readonly active: Record<Purpose, string>;
}

/**
 * Gives purposes new keys, each named by the key before it, which ends after the overlap; public halves stay known, so
 * what they signed stays verifiable. A new key is that of the file when the database does not know it yet (a fleet is
 * given the file first); else one is made and the file replaced. Running processes read their files again by NOTIFY.
 * @throws SettingsInvalid when the file has no key that may name another
 */
export async function rotateSigningKeys(
  settings: Settings,
  address: DatabaseAddress,
  { overlapSeconds = 60, purposes = PURPOSES, newChain = false }: RotationOptions = {},
): Promise<Rotation> {
  return withKeys(settings, address, (query, statements) =>
    newChain
      ? beginAgain(settings, query, statements)
      : rotate(settings, query, statements, { overlapSeconds, purposes }),
  );
}

/** One operator at a time changes the keys; running processes read theirs again afterwards. */
export async function withKeys<T>(
  settings: Settings,
  address: DatabaseAddress,
  work: (query: Query, statements: KeyStatements) => Promise<T>,
): Promise<T> {
  const source = await new DataSource(roleDataSource(address, 'svc_operator', { settings })).initialize();
  try {
    return await source.transaction(async (manager) => {
      const query: Query = async <Row>(sql: string, parameters: unknown[] = []) =>
        rowsOf<Row>(await manager.query(sql, parameters));
      const done = await work(query, await KeyStatements.lock(query, OPERATOR));
      await query('select pg_notify($1, $2)', [KEY_CHANNEL, '']);
      return done;
    });
  } finally {
    await source.destroy();
  }
}

async function rotate(
  settings: Settings,
  query: Query,
  statements: KeyStatements,
  { overlapSeconds, purposes }: { overlapSeconds: number; purposes: readonly Purpose[] },
): Promise<Rotation> {
  const { file, known } = await settleKeys(settings, query);
  const ends = new Date(Date.now() + overlapSeconds * 1000);
  const fresh: HeldKey[] = [];
  for (const purpose of purposes) {
    const next = nextKey(settings, file, known, purpose);
    const replaces = lastOf(known, purpose)!.key;
    const own = heldKey(file, replaces.kid);
    const signer = own ?? heldKey(file, lastOf(known, 'receipts')!.key.kid);
    if (!signer) throw notTheKeys(settings, await readKeyRows(query), file);
    const signerFor = own ? purpose : 'receipts';
    await statements.addNext(signer, { key: next.key.publicKey, purpose, replaces: replaces.kid, ends, signerFor });
    fresh.push(next);
  }
  return finish({ settings, query, statements }, file, known, fresh);
}

/** A new first key takes over the keys of the chain before it, which end now. */
async function beginAgain(settings: Settings, query: Query, statements: KeyStatements): Promise<Rotation> {
  const found = await findOwnKeys(settings);
  const rows = await readKeyRows(query);
  const { known } = viewOf(findFirstKey(settings, undefined) ?? claimedFirst(rows), rows);
  const fresh = PURPOSES.map((purpose) => nextKey(settings, found, known, purpose));
  const first = fresh[0]!.key;
  await statements.addFirst(first);
  for (const { key, notBefore, notAfter } of known)
    await statements.adopt(first, { key, notBefore, notAfter: notAfter ?? new Date() });
  for (const { purpose, key } of fresh.slice(1))
    await statements.addNext(first, { key: key.publicKey, purpose: purpose, replaces: first.kid, ends: null });
  const others = { es256: found?.es256 ?? [], peers: found?.peers ?? [] };
  const file = { first: first.publicKey, keys: found?.keys ?? [], ...others };
  keepFirstKey(settings, first.publicKey);
  return finish({ settings, query, statements }, file, known, fresh);
}

/** Ends the keys that sign nothing any more, and puts the new ones into the file where it does not have them. */
async function finish(
  { settings, query, statements }: { settings: Settings; query: Query; statements: KeyStatements },
  file: KeyFile,
  before: readonly KnownKey[],
  fresh: readonly HeldKey[],
): Promise<Rotation> {
  const { known } = viewOf(file.first ?? undefined, await readKeyRows(query));
  const now = new Map(known.map((one) => [one.key.kid, one]));
  const retired = before.filter(({ key, notAfter }) => notAfter === null && now.get(key.kid)?.notAfter);
  for (const { key } of retired) await statements.end(key.kid, now.get(key.kid)!.notAfter!);
  if (fresh.some((held) => !file.keys.includes(held))) {
    const isLive = ({ key }: HeldKey): boolean => (now.get(key.kid)?.notAfter?.getTime() ?? Infinity) > Date.now();
    const kept = file.keys.filter((held) => !fresh.includes(held) && isLive(held));
    replaceKeyFile(settings, { ...file, keys: [...fresh, ...kept] });
  }
  const kidOf = (purpose: Purpose): string => lastOf(known, purpose)!.key.kid;
  return {
    retired: retired.map(({ key }) => key.kid),
    active: { receipts: kidOf('receipts'), log: kidOf('log'), exports: kidOf('exports') },
  };
}

const heldKey = ({ keys }: KeyFile, kid: string): EvidenceSigner | undefined =>
  keys.find(({ key }) => key.kid === kid)?.key;
