import { logName } from './checkpoint.js';
import { type ChainedKey, isWithin, KeyChain, keyOf, narrowTerms, openStatement } from './key-chain.js';
import { type Purpose, PURPOSES } from './purposes.js';
import type { PublicJwk, VerifyingKey } from './signing-key.js';

/** A key known from elsewhere, with its validity when the source gives one (seconds since 1970). */
export interface TrustedKey {
  readonly key: VerifyingKey;
  readonly nbf?: number;
  readonly exp?: number;
  /** What it is trusted for: everything unless the source says. */
  readonly purposes?: readonly Purpose[];
  /** Of a note verifier key: the log whose checkpoints it signs. */
  readonly name?: string;
}

/** What a file of evidence says of its keys. Statements are missing in files of version 1. */
export interface KeyClaims {
  readonly keys: readonly PublicJwk[];
  readonly statements?: readonly string[];
}

/** The keys of a file, each for what it may sign and when. */
export type FileKeys = Map<string, ChainedKey>;

/**
 * The keys of a file, when each is trusted: pinned, or named by a chain of statements that begins with a pinned key.
 * Without trusted keys the chain begins with the one key that no statement names. In files of version 1 each key signed
 * everything.
 * @throws Error naming the key or the statement that does not hold
 */
export function readFileKeys({ keys, statements }: KeyClaims, trusted: readonly TrustedKey[] | undefined): FileKeys {
  const listed = new Map(keys.map((jwk) => [jwk.kid, keyOf(jwk)]));
  if (listed.size !== keys.length) throw new Error('a key stands in the file twice');
  if (statements === undefined) return readFirstVersion(keys, trusted);
  const opened = statements.map((cose) => openStatement(Buffer.from(cose, 'base64')));
  const idle = opened.find(({ jwk }) => !listed.has(jwk.kid));
  if (idle)
    throw new Error(`statement ${idle.receipt.receiptId} is about key ${idle.jwk.kid}, which is not in the file`);
  const named = new Set(opened.map(({ jwk }) => jwk.kid));
  const roots =
    trusted ?? keys.filter(({ kid }) => !named.has(kid)).map((jwk) => ({ ...validityOf(jwk), key: keyOf(jwk) }));
  if (trusted === undefined && roots.length > 1) throw new Error(`no statement names key ${roots[1]!.key.kid}`);
  const chain = new KeyChain(roots);
  for (const statement of opened) chain.add(statement);
  return new Map(
    keys.map((jwk) => {
      const chained = chain.find(jwk.kid);
      if (!chained) throw notTrusted(jwk.kid);
      const isPinned = trusted?.some(({ key }) => key.kid === jwk.kid) && !named.has(jwk.kid);
      const { nbf, exp = Infinity } = isPinned ? pinnedValidity(jwk, trusted) : validityOf(jwk);
      return [jwk.kid, { key: chained.key, terms: narrowTerms(chained.terms, nbf, exp) }];
    }),
  );
}

/** The keys that sign checkpoints. */
export const logKeysOf = (keys: FileKeys): VerifyingKey[] =>
  [...keys.values()].filter(({ terms }) => terms.has('log')).map(({ key }) => key);

/** @throws Error when the key does not sign for the purpose, or did not at that time (RFC 3339) */
export function expectTerm({ key, terms }: ChainedKey, purpose: Purpose, instant: string, what: string): void {
  const term = terms.get(purpose);
  if (!term) throw new Error(`${what}: key ${key.kid} does not sign ${purpose}`);
  if (!isWithin(term, Date.parse(instant) / 1000))
    throw new Error(`${what}: ${instant} is outside the validity of key ${key.kid}`);
}

/** @throws Error when note verifier keys are trusted, and none of them is for the log of that origin */
export function expectLogName(origin: string, trusted: readonly TrustedKey[] = []): void {
  const names = trusted.flatMap(({ name }) => name ?? []);
  if (names.length > 0 && !names.some((name) => name === origin || name === logName(origin)))
    throw new Error(`the trusted key is for the log ${names.join(', ')}, the checkpoint is of ${origin}`);
}

/** Which keys the rest of a file's keys rest on: those that none of its statements names. */
export function rootsOf({ keys, statements = [] }: KeyClaims): string[] {
  const named = new Set(statements.map((cose) => openStatement(Buffer.from(cose, 'base64')).jwk.kid));
  return keys.map(({ kid }) => kid).filter((kid) => !named.has(kid));
}

/** What the step `keys` says when it holds. */
export function describeKeys(keys: FileKeys, trusted: readonly TrustedKey[] | undefined): string {
  const count = `${keys.size} ${keys.size === 1 ? 'key' : 'keys'}`;
  if (trusted === undefined) return `${count} inside the file, self-asserted: give a key to pin who made it`;
  const pinned = [...keys.keys()].filter((kid) => trusted.some(({ key }) => key.kid === kid)).length;
  return pinned === keys.size
    ? `${count}, all among the trusted ones`
    : `${count}, ${pinned} trusted, the others named by them`;
}

function readFirstVersion(keys: readonly PublicJwk[], trusted: readonly TrustedKey[] | undefined): FileKeys {
  return new Map(
    keys.map((jwk) => {
      if (trusted && !trusted.some(({ key }) => key.kid === jwk.kid)) throw notTrusted(jwk.kid);
      const { nbf, exp = Infinity } = pinnedValidity(jwk, trusted);
      const { purposes = PURPOSES } = trusted?.find(({ key }) => key.kid === jwk.kid) ?? {};
      const terms = new Map(purposes.map((purpose) => [purpose, { from: nbf, until: exp }] as const));
      return [jwk.kid, { key: keyOf(jwk), terms }];
    }),
  );
}

/** What the trusted source says of the validity goes before what the file says. */
function pinnedValidity(jwk: PublicJwk, trusted: readonly TrustedKey[] = []): { nbf: number; exp?: number } {
  const pinned = trusted.find(({ key }) => key.kid === jwk.kid);
  const exp = pinned?.exp ?? jwk.exp;
  return { nbf: pinned?.nbf ?? jwk.nbf, ...(exp === undefined ? {} : { exp }) };
}

const validityOf = ({ nbf, exp }: PublicJwk): { nbf: number; exp?: number } => ({
  nbf,
  ...(exp === undefined ? {} : { exp }),
});

const notTrusted = (kid: string): Error =>
  new Error(`key ${kid} is not among the trusted keys, and no statement by one of them names it`);
