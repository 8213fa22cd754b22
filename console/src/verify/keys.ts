import { areEqual, base64UrlOf, bytesOfBase64, bytesOfBase64Url, bytesOfHex, utf8 } from './bytes.ts';
import { sha256, verifyEd25519 } from './crypto.ts';
import { keyIdOf } from './log.ts';
import { openMessage, openReceipt, toBeSigned } from './receipt.ts';

const PURPOSES = ['receipts', 'log', 'exports'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** Seconds since 1970; `until` is the first that the key does not sign. */
interface Term {
  from: number;
  until: number;
}

export interface KnownKey {
  kid: string;
  bytes: Uint8Array;
  terms: Map<Purpose, Term>;
  /** How it came to be trusted. */
  from: 'pinned' | 'served' | 'statement';
}

/** A public key as servers publish it (docs/formats/canonical-cbor.md). */
export interface Jwk {
  kid?: string;
  x: string;
  nbf?: number;
  exp?: number;
  svc_purposes?: readonly string[];
}

const thumbprint = async (x: string): Promise<string> =>
  base64UrlOf(await sha256(utf8(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))));

/** @throws Error where it is not 32 bytes, or its kid is not its thumbprint */
async function knownKey({ kid, x, nbf = 0, exp = Infinity, svc_purposes }: Jwk, from: KnownKey['from']) {
  const bytes = bytesOfBase64Url(x, 'the key');
  if (bytes.length !== 32) throw new Error('an Ed25519 key has 32 bytes');
  const name = await thumbprint(x);
  if (kid !== undefined && kid !== name) throw new Error(`kid ${kid} is not the thumbprint of its key`);
  const purposes = PURPOSES.filter((purpose) => svc_purposes?.includes(purpose) ?? true);
  const terms = new Map(purposes.map((purpose) => [purpose, { from: nbf, until: exp }]));
  return { kid: name, bytes, terms, from } satisfies KnownKey;
}

/** A key that the reader trusts, and the name of the log that it was pinned for, where that stands with it. */
export interface PinnedKey extends KnownKey {
  logName?: string;
}

/** A note verifier key (`name+id+key`), a JWK, or the 32 bytes in base64url. @throws Error saying what was expected */
export async function parsePinnedKey(text: string): Promise<PinnedKey> {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) return knownKey(JSON.parse(trimmed) as Jwk, 'pinned');
  const [, name, id, key] = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(trimmed) ?? [];
  if (!name || !id || !key) {
    if (!/^[A-Za-z0-9_-]{43}$/.test(trimmed))
      throw new Error('Paste a note verifier key (name+id+key, as svc key pin prints it), a JWK, or its x');
    return knownKey({ x: trimmed }, 'pinned');
  }
  const bytes = bytesOfBase64(key, 'the key');
  if (bytes[0] !== 1 || bytes.length !== 33) throw new Error('This is no Ed25519 verifier key');
  const own = bytes.slice(1);
  if (!areEqual(await keyIdOf(name, own), bytesOfHex(id)))
    throw new Error('The id in it does not fit its name and key');
  return { ...(await knownKey({ x: base64UrlOf(own) }, 'pinned')), logName: name };
}

/** Keys that are trusted, and those that statements of these lead to. */
export class KeyRing {
  private readonly keys = new Map<string, KnownKey>();

  /** With a pinned key that alone is where trust begins; else with all that the daemon serves. */
  static async of(pinned: PinnedKey | undefined, served: readonly Jwk[], statements: readonly Uint8Array[]) {
    const ring = new KeyRing();
    const roots = pinned
      ? [{ ...pinned, terms: new Map(pinned.terms) }]
      : await Promise.all(served.map((jwk) => knownKey(jwk, 'served')));
    for (const root of roots) ring.keys.set(root.kid, root);
    if (pinned) for (const statement of statements) await ring.follow(statement).catch(() => undefined);
    return ring;
  }

  find(kid: string): KnownKey | undefined {
    return this.keys.get(kid);
  }

  of(purpose: Purpose): KnownKey[] {
    return [...this.keys.values()].filter(({ terms }) => terms.has(purpose));
  }

  /** docs/formats/keys.md, step 3. @throws Error where the statement does not hold: it names no key then */
  private async follow(message: Uint8Array): Promise<void> {
    const { kid, payload, signature, protectedHeader } = openMessage(message);
    const receipt = openReceipt(payload);
    if (receipt.tenant !== 'svc/server' || receipt.stream !== 'keys') throw new Error('no statement about a key');
    const signer = this.keys.get(kid);
    const named = receipt.body.get('key');
    if (!signer || !(named instanceof Map)) throw new Error('no known key has signed this');
    if (!(await verifyEd25519(signer.bytes, signature, toBeSigned({ protectedHeader }, payload))))
      throw new Error('the signature does not hold');
    const at = Date.parse(receipt.occurredAt) / 1_000;
    const key = await knownKey(Object.fromEntries(named as Map<string, unknown>) as unknown as Jwk, 'statement');
    if (key.kid !== receipt.subject) throw new Error('the statement is about another key');
    if (receipt.kind === 'key.adopted' && signer.from === 'pinned' && isWithin(signer.terms.get('receipts'), at))
      return void this.keys.set(key.kid, this.keys.get(key.kid) ?? key);
    if (receipt.kind !== 'key.rotated') throw new Error('no statement that names a key');
    const purpose = PURPOSES.find((one) => one === receipt.body.get('purpose'));
    if (!purpose || ![purpose, 'receipts' as const].some((one) => isWithin(signer.terms.get(one), at)))
      throw new Error('the key could not name one for this purpose then');
    this.rotate(
      key,
      purpose,
      String(receipt.body.get('replaces')),
      Date.parse(String(receipt.body.get('ends'))) / 1_000,
    );
  }

  private rotate(key: KnownKey, purpose: Purpose, replaces: string, ends: number): void {
    const old = this.keys.get(replaces);
    const term = old?.terms.get(purpose);
    if (!old || !term || Number.isNaN(ends)) throw new Error('the key that it replaces did not sign for this purpose');
    const until = Math.min(term.until, ends);
    if (until > term.from) old.terms.set(purpose, { from: term.from, until });
    else old.terms.delete(purpose);
    const known = this.keys.get(key.kid);
    if (!known) this.keys.set(key.kid, { ...key, terms: new Map([[purpose, key.terms.get(purpose)!]]) });
  }
}

export const isWithin = (term: Term | undefined, seconds: number): boolean =>
  term !== undefined && seconds >= term.from && seconds < term.until;
