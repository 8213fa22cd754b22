import { isWithin, KeyChain, type KeyStatement, openStatement } from '../../../evidence/key-chain.js';
import { logName } from '../../../evidence/checkpoint.js';
import { parseNoteVerifierKey } from '../../../evidence/signed-note.js';
import type { VerifyingKey } from '../../../evidence/signing-key.js';

/** More rotations than a server does in its life: so many are looked at. */
const MAX_STATEMENTS = 256;
/** How far the clocks of two servers may differ, in seconds. */
export const SKEW_SECONDS = 300;

/** Keys and names that are pinned for a log. */
export interface Pinned {
  /** Of the log, without the number of an epoch. */
  readonly name: string;
  /** Each once, in the order of their text. */
  readonly keys: string[];
}

/** @throws Error that says what is wrong with the verifier keys */
export function readPinned(texts: readonly string[]): Pinned {
  const keys = [...new Set(texts.map((text) => text.trim()))].sort();
  const names = new Set(keys.map((text) => logName(parseNoteVerifierKey(text).name)));
  const [name, other] = names;
  if (name === undefined) throw new Error('no key is given');
  if (other !== undefined) throw new Error(`the keys are of two logs, ${name} and ${other}`);
  return { name, keys };
}

/** The keys of a log, and the statements that lead to them. */
export interface PeerChain {
  readonly chain: KeyChain;
  /** In the order of their stream: base64. */
  readonly statements: string[];
}

/**
 * The keys of a log as the pinned ones vouch for them, by the statements that are known and those that are shown: a
 * peer that leaves one out does not bring back a key that has ended. One that does not hold is none, so that nobody
 * fills the list with such.
 */
export function peerChain(
  pinned: readonly string[],
  known: readonly string[],
  shown: readonly string[] = [],
): PeerChain {
  const chain = new KeyChain(pinned.map((text) => ({ key: parseNoteVerifierKey(text).key })));
  const all = [...new Set([...known, ...shown.slice(0, MAX_STATEMENTS)])];
  const held = opened(all).filter((statement) => isAdded(chain, statement));
  return { chain, statements: held.map(({ receipt }) => Buffer.from(receipt.cose).toString('base64')) };
}

function isAdded(chain: KeyChain, statement: KeyStatement): boolean {
  try {
    chain.add(statement);
    return true;
  } catch {
    return false;
  }
}

/** The keys that sign checkpoints at a time, in seconds since 1970. */
export const logKeysOf = (chain: KeyChain, now: number): VerifyingKey[] =>
  chain
    .all()
    .filter(({ terms }) => isWithin(terms.get('log'), now) || isWithin(terms.get('log'), now + SKEW_SECONDS))
    .map(({ key }) => key);

/** Those that can be read, in the order of their stream. */
function opened(statements: readonly string[]): KeyStatement[] {
  const found = statements.flatMap((text) => {
    try {
      return [openStatement(Buffer.from(text, 'base64'))];
    } catch {
      return [];
    }
  });
  return found.sort((a, b) => a.receipt.payload.seq - b.receipt.payload.seq);
}
