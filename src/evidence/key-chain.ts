import { type CborMap, CborError } from './cbor.js';
import { parseCose, verifyCose } from './cose.js';
import { type Purpose, PURPOSES } from './purposes.js';
import { openReceipt, SERVER_TENANT, type SignedReceipt } from './receipt.js';
import { checkShape, INSTANT, JWK, oneOf, type Shape, TEXT } from './shape.js';
import { type PublicJwk, VerifyingKey } from './signing-key.js';

/** The chain of receipts in which the server names its keys. */
export const KEY_STREAM = 'keys';

/** When a key signs for a purpose: seconds since 1970 (UTC), `until` is the first that it does not. */
export interface Term {
  readonly from: number;
  readonly until: number;
}
/** A key of the chain, and when it signs for what. */
export interface ChainedKey {
  readonly key: VerifyingKey;
  /** Purposes without a term are not the key's. */
  readonly terms: ReadonlyMap<Purpose, Term>;
}

/** Where a chain begins: a key that is trusted, in its validity and for its purposes when those are known. */
export interface RootKey {
  readonly key: VerifyingKey;
  readonly nbf?: number;
  readonly exp?: number;
  /** Every one unless given. */
  readonly purposes?: readonly Purpose[];
}

/** The body of `key.rotated`: a new key for one purpose, and when the one before it ends there. */
export interface RotatedBody {
  readonly key: PublicJwk;
  readonly purpose: Purpose;
  /** The kid of the key that signed for the purpose until then. */
  readonly replaces: string;
  /** RFC 3339: from then on the replaced key signs nothing for the purpose. */
  readonly ends: string;
}

/** A receipt by which a key names another. docs/formats/receipts.md. */
export interface KeyStatement {
  readonly receipt: SignedReceipt & { readonly kid: string };
  /** The key that it is about. */
  readonly jwk: PublicJwk;
  /** Of `key.rotated`. Null: the key once signed everything, and was taken over with its end. */
  readonly rotation: RotatedBody | null;
}

const ROTATED: Shape = {
  members: { ends: INSTANT, key: JWK, purpose: oneOf(...PURPOSES), replaces: TEXT },
};
const ADOPTED: Shape = { members: { key: JWK } };

/** Reads `key.rotated` and `key.adopted`. Does not verify. @throws Error saying what is wrong */
export function openStatement(cose: Uint8Array): KeyStatement {
  const receipt = openReceipt(cose);
  const { tenant_id, stream, kind, subject, body } = receipt.payload;
  const isRotation = kind === 'key.rotated';
  if (tenant_id !== SERVER_TENANT || stream !== KEY_STREAM || !(isRotation || kind === 'key.adopted'))
    throw new CborError(`receipt ${receipt.receiptId} is no statement about a key`);
  checkShape(body, isRotation ? ROTATED : ADOPTED, 'body');
  const { key: jwk } = body as CborMap & { key: PublicJwk };
  if (keyOf(jwk).kid !== subject) throw new CborError(`statement ${receipt.receiptId} is not about its subject`);
  if (!isRotation && jwk.exp === undefined) throw new CborError(`statement ${receipt.receiptId}: the key has no end`);
  return { receipt, jwk, rotation: isRotation ? (body as unknown as RotatedBody) : null };
}

/** @throws Error when its kid is not its thumbprint */
export function keyOf(jwk: PublicJwk): VerifyingKey {
  const key = new VerifyingKey(Buffer.from(jwk.x, 'base64url'));
  if (key.kid !== jwk.kid) throw new Error(`kid ${jwk.kid} is not the thumbprint of its key`);
  return key;
}

/**
 * The keys to which statements lead from the first: each is named by one that signed for the same purpose, or for
 * receipts, when it was named. A key that no statement leads to is none of the server's.
 */
export class KeyChain {
  private readonly keys = new Map<string, { key: VerifyingKey; terms: Map<Purpose, Term> }>();
  /** With what each is trusted for. */
  private readonly roots: ReadonlyMap<string, readonly Purpose[]>;
  private readonly named = new Set<string>();
  private last: SignedReceipt | undefined;

  constructor(roots: readonly RootKey[]) {
    this.roots = new Map(roots.map(({ key, purposes = PURPOSES }) => [key.kid, purposes]));
    for (const { key, nbf = 0, exp = Infinity, purposes = PURPOSES } of roots)
      this.keys.set(key.kid, { key, terms: new Map(purposes.map((purpose) => [purpose, { from: nbf, until: exp }])) });
  }

  /** In the order of the statements' chain. @throws Error for one that does not hold; the chain stays as it was */
  add(statement: KeyStatement): void {
    const { receipt, jwk, rotation } = statement;
    const name = `statement ${receipt.receiptId}`;
    this.checkPlace(receipt, name);
    if (this.named.has(jwk.kid)) throw new Error(`${name}: key ${jwk.kid} was named before`);
    this.checkSigner(statement, name);
    const own = this.keys.get(jwk.kid)?.terms;
    const window = own?.get('receipts') ?? own?.values().next().value;
    const from = Math.max(jwk.nbf, window?.from ?? 0);
    const term = { from, until: Math.min(jwk.exp ?? Infinity, window?.until ?? Infinity) };
    if (rotation) this.end(rotation, name);
    const trusted = this.roots.get(jwk.kid) ?? PURPOSES;
    const purposes = (rotation ? [rotation.purpose] : PURPOSES).filter((purpose) => trusted.includes(purpose));
    this.keys.set(jwk.kid, { key: keyOf(jwk), terms: new Map(purposes.map((purpose) => [purpose, term])) });
    this.named.add(jwk.kid);
    this.last = receipt;
  }

  find(kid: string): ChainedKey | undefined {
    return this.keys.get(kid);
  }

  all(): ChainedKey[] {
    return [...this.keys.values()];
  }

  /** The key that signs for a purpose from now on: none of its line has replaced it. */
  lastOf(purpose: Purpose): ChainedKey | undefined {
    return this.all().findLast(({ terms }) => terms.get(purpose)?.until === Infinity);
  }

  private checkPlace({ payload }: SignedReceipt, name: string): void {
    if (this.last === undefined) return;
    const { seq } = this.last.payload;
    if (payload.seq <= seq) throw new Error(`${name} is not in ascending order of seq`);
    if (payload.seq === seq + 1 && payload.prev !== this.last.payloadHash)
      throw new Error(`${name}: prev is not the statement before it`);
  }

  private checkSigner({ receipt, rotation }: KeyStatement, name: string): void {
    const signer = this.keys.get(receipt.kid);
    if (!signer) throw new Error(`${name}: no chain leads to the key ${receipt.kid} that signed it`);
    if (!verifyCose(parseCose(receipt.cose), signer.key)) throw new Error(`${name}: the signature does not hold`);
    if (!rotation && !this.roots.has(receipt.kid)) throw new Error(`${name}: only the first key takes others over`);
    const at = Date.parse(receipt.payload.occurred_at) / 1000;
    const lines: readonly Purpose[] = rotation ? [rotation.purpose, 'receipts'] : ['receipts'];
    if (!lines.some((purpose) => isWithin(signer.terms.get(purpose), at)))
      throw new Error(`${name}: key ${receipt.kid} could not name a key for ${lines[0]} then`);
  }

  private end({ purpose, replaces, ends }: RotatedBody, name: string): void {
    const replaced = this.keys.get(replaces);
    const term = replaced?.terms.get(purpose);
    // Who trusts it for other purposes alone has nothing to end.
    if (this.roots.get(replaces)?.includes(purpose) === false) return;
    if (!replaced || !term) throw new Error(`${name}: the key it replaces, ${replaces}, did not sign for ${purpose}`);
    const until = Math.min(term.until, Date.parse(ends) / 1000);
    if (until > term.from) replaced.terms.set(purpose, { from: term.from, until });
    else replaced.terms.delete(purpose);
  }
}

/** Whether a time in seconds since 1970 lies in a term; without a term never. */
export const isWithin = (term: Term | undefined, seconds: number): boolean =>
  term !== undefined && seconds >= term.from && seconds < term.until;

/** The terms as far as they lie in a time; those that do not are none. */
export function narrowTerms(terms: ReadonlyMap<Purpose, Term>, from: number, until: number): Map<Purpose, Term> {
  const narrowed = [...terms].map(
    ([purpose, term]) => [purpose, { from: Math.max(from, term.from), until: Math.min(until, term.until) }] as const,
  );
  return new Map(narrowed.filter(([, term]) => term.from < term.until));
}
