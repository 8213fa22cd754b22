import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { Query } from '../tenancy/cross-tenant.js';
import { attempt } from '../../evidence/attempt.js';
import { parseCose, verifyCose } from '../../evidence/cose.js';
import {
  type ChainedKey,
  isWithin,
  KeyChain,
  type KeyStatement,
  narrowTerms,
  openStatement,
  type RootKey,
} from '../../evidence/key-chain.js';
import type { Purpose } from '../../evidence/purposes.js';
import { type Es256Key, readEs256Keys } from '../../evidence/es256-statement.js';
import { openReceipt } from '../../evidence/receipt.js';
import { type PublicJwk, VerifyingKey } from '../../evidence/signing-key.js';
import { findFirstKey, type KeyFile } from './key-files.js';
import { findKeptFirst, findOwnKeys } from './own-keys.js';

/** A public key of this database's evidence, what it signs and when. */
export interface KnownKey extends ChainedKey {
  readonly notBefore: Date;
  /** When it ends for all that it signs; null while it is in use. */
  readonly notAfter: Date | null;
  readonly jwk: PublicJwk;
  /** By which an older key named it; null for the first. */
  readonly statement: KeyStatement | null;
}

/** A row of the table, as it stands: what of it is true, the chain says. */
export interface SigningKeyRow {
  readonly kid: string;
  readonly public_key: Buffer;
  readonly not_before: Date;
  readonly not_after: Date | null;
  readonly statement: Buffer | null;
}

/** The keys of the table by the chain from the first. */
export interface KeyView {
  /** Oldest first. */
  readonly known: readonly KnownKey[];
  /** Kids of rows to which no chain leads: whoever wrote them had the database, and no key of it. */
  readonly unchained: readonly string[];
}
/** With the keys on P-256, which sign COSE receipts alone and stand in no file. */
export interface WholeKeyView extends KeyView {
  readonly es256: readonly Es256Key[];
}

export const readKeyRows = (query: Query): Promise<SigningKeyRow[]> =>
  query<SigningKeyRow>(
    'select kid, public_key, not_before, not_after, statement from signing_key order by not_before, kid',
  );

/** The public keys of the database, as the first key that this machine keeps vouches for them. */
@Injectable()
export class KnownKeys {
  private first: VerifyingKey | undefined;
  private last: { rows: string; view: WholeKeyView } | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** Reads the first key again, after a rotation. */
  forget(): void {
    [this.first, this.last] = [undefined, undefined];
  }

  async read(query: Query): Promise<readonly KnownKey[]> {
    return (await this.view(query)).known;
  }

  /** Signatures are verified again only when a row has changed. @throws SettingsInvalid for an unreadable key file */
  async view(query: Query): Promise<WholeKeyView> {
    const read = await readKeyRows(query);
    const es256 = await readEs256Rows(query);
    const rows = JSON.stringify([read, es256]);
    if (this.last?.rows === rows) return this.last.view;
    this.first ??= await readFirstKey(this.settings, read);
    const view = withEs256(viewOf(this.first, read), es256);
    this.last = { rows, view };
    return view;
  }
}

export interface Es256Row {
  readonly kid: string;
  readonly statement: Buffer;
}

export const readEs256Rows = (query: Query): Promise<Es256Row[]> =>
  query<Es256Row>('select kid, statement from es256_key order by named_at, kid');

/** The keys of ES256 by the statements that name them; one whose statement no key of the chain signed is unchained. */
export function withEs256(view: KeyView, rows: readonly Es256Row[]): WholeKeyView {
  const byKid = new Map(view.known.map((one) => [one.key.kid, one]));
  const statements = rows.map(({ statement }) => statement);
  const es256 = readEs256Keys((kid) => byKid.get(kid), statements);
  const ours = new Set(es256.map(({ key }) => key.kid));
  const unchained = rows.filter(({ kid }) => !ours.has(kid)).map(({ kid }) => kid);
  return { known: view.known, es256, unchained: [...view.unchained, ...unchained] };
}

/** The first key of this machine; a signer outside is asked only where nothing else says it. */
export async function readFirstKey(
  settings: Settings,
  rows: readonly SigningKeyRow[],
): Promise<VerifyingKey | undefined> {
  return (await findKeptFirst(settings)) ?? firstKeyOf(settings, await findOwnKeys(settings), rows);
}

/**
 * The first key: the one that is kept, else one of the file when the table has its own word that it began the chain.
 */
export function firstKeyOf(
  settings: Settings,
  file: KeyFile | undefined,
  rows: readonly SigningKeyRow[],
): VerifyingKey | undefined {
  const kept = findFirstKey(settings, file);
  if (kept || !file) return kept;
  const own = file.keys.map(({ key }) => key.publicKey);
  return own.find((key) => rows.some((row) => row.kid === key.kid && beganChain(row, key)));
}

/** Without a first key, and without a statement in the table, the chain has not begun: all rows count until then. */
export function viewOf(first: VerifyingKey | undefined, rows: readonly SigningKeyRow[]): KeyView {
  const keys = rows.map((row) => ({ row, key: new VerifyingKey(Uint8Array.from(row.public_key)) }));
  const hasBegun = first !== undefined || rows.some(({ statement }) => statement !== null);
  const chain = new KeyChain(hasBegun ? (first ? [{ key: first }] : []) : keys.map(rootOf));
  const statements = addStatements(chain, rows);
  const known = keys.flatMap(({ row, key }) => {
    const chained = row.kid === key.kid ? chain.find(key.kid) : undefined;
    return chained ? [knownKey(row, chained, statements.get(key.kid) ?? null)] : [];
  });
  known.sort(byAge);
  const ours = new Set(known.map(({ key }) => key.kid));
  return { known, unchained: rows.filter(({ kid }) => !ours.has(kid)).map(({ kid }) => kid) };
}

/** The key that signs for a purpose from now on: no other has taken its place. */
export const lastOf = (known: readonly KnownKey[], purpose: Purpose): KnownKey | undefined =>
  known.findLast(({ terms }) => terms.get(purpose)?.until === Infinity);

/** Whether the key signed for the purpose at a time, as the record that it signed says it. */
export const signedThen = ({ terms }: KnownKey, purpose: Purpose, at: string): boolean =>
  isWithin(terms.get(purpose), Date.parse(at) / 1000);

/** What carries the named keys to who trusts the first: they and those that named them, with the statements. */
export function carriersOf(
  known: readonly KnownKey[],
  isNeeded: (key: KnownKey) => boolean,
): { keys: PublicJwk[]; statements: string[] } {
  const byKid = new Map(known.map((one) => [one.key.kid, one]));
  const needed = new Set<KnownKey>();
  const add = (one: KnownKey | undefined): void => {
    if (!one || needed.has(one)) return;
    needed.add(one);
    add(byKid.get(one.statement?.receipt.kid ?? ''));
  };
  known.filter(isNeeded).forEach(add);
  const keys = known.filter((one) => needed.has(one));
  const statements = keys.flatMap(({ statement }) => statement ?? []).sort(bySeq);
  return {
    keys: keys.map(({ jwk }) => jwk),
    statements: statements.map(({ receipt }) => Buffer.from(receipt.cose).toString('base64')),
  };
}

function addStatements(chain: KeyChain, rows: readonly SigningKeyRow[]): Map<string, KeyStatement> {
  const held = new Map<string, KeyStatement>();
  const opened = rows.flatMap(({ statement }) => attempt(() => statement && openStatement(statement)) ?? []);
  for (const statement of opened.sort(bySeq))
    attempt(() => {
      chain.add(statement);
      held.set(statement.jwk.kid, statement);
    });
  return held;
}

/** Those that began in the same millisecond are in the order in which they were named. */
const byAge = (a: KnownKey, b: KnownKey): number =>
  a.notBefore.getTime() - b.notBefore.getTime() || seqOf(a.statement) - seqOf(b.statement);

const seqOf = (statement: KeyStatement | null): number => statement?.receipt.payload.seq ?? 0;

const bySeq = (a: KeyStatement, b: KeyStatement): number => a.receipt.payload.seq - b.receipt.payload.seq;

/** Narrowed by the row: it may end a key, never lengthen it. */
function knownKey(row: SigningKeyRow, { key, terms }: ChainedKey, statement: KeyStatement | null): KnownKey {
  const from = row.not_before.getTime() / 1000;
  const until = row.not_after === null ? Infinity : row.not_after.getTime() / 1000;
  const own = narrowTerms(terms, from, until);
  const end = Math.max(0, ...[...own.values()].map((term) => term.until));
  const notAfter = end === Infinity ? null : new Date(end * 1000);
  return { key, terms: own, notBefore: row.not_before, notAfter, jwk: key.toJwk(row.not_before, notAfter), statement };
}

const rootOf = ({ row, key }: { row: SigningKeyRow; key: VerifyingKey }): RootKey => ({
  key,
  nbf: row.not_before.getTime() / 1000,
  ...(row.not_after ? { exp: row.not_after.getTime() / 1000 } : {}),
});

export const FIRST_KIND = 'key.first';

/** The key that the table itself calls the first, with its signature: what a machine that keeps none can go by. */
export function claimedFirst(rows: readonly SigningKeyRow[]): VerifyingKey | undefined {
  const keys = rows.map((row) => ({ row, key: new VerifyingKey(Uint8Array.from(row.public_key)) }));
  return keys.find(({ row, key }) => beganChain(row, key))?.key;
}

/** Whether the row bears the key's own statement that it is the first. */
function beganChain({ statement }: SigningKeyRow, key: VerifyingKey): boolean {
  return (
    attempt(() => {
      if (!statement || openReceipt(statement).payload.kind !== FIRST_KIND) return false;
      return verifyCose(parseCose(statement), key);
    }) === true
  );
}
