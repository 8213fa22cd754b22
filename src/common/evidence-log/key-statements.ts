import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import type { Query } from '../tenancy/cross-tenant.js';
import type { CborMap } from '../../evidence/cbor.js';
import { digestBytes } from '../../evidence/digest.js';
import { KEY_STREAM } from '../../evidence/key-chain.js';
import type { Purpose } from '../../evidence/purposes.js';
import { ES256_KIND, es256Body } from '../../evidence/es256-statement.js';
import type { Es256VerifyingKey } from '../../evidence/forms/signature-keys.js';
import { draftReceipt, type ReceiptDraft, SERVER_TENANT, type SignedReceipt } from '../../evidence/receipt.js';
import { signDraft } from '../../evidence/signer.js';
import type { EvidenceSigner, VerifyingKey } from '../../evidence/signing-key.js';
import { FIRST_KIND } from './known-keys.js';
import { ReceiptsStore } from './receipts.store.js';

/** Clocks of hosts differ a little, so validity starts a minute early. */
const EARLY_MS = 60_000;

/** Who acts, in the receipt: a part of the server, or the operator. */
interface Author {
  readonly principal: string;
  readonly authType: string;
}

/** Writes keys and the receipts that name them, in one transaction of the operator role that holds the keys. */
export class KeyStatements {
  private constructor(
    private readonly query: Query,
    private readonly by: Author,
  ) {}

  /** One process at a time looks which keys there are and adds its own, until the transaction ends. */
  static async lock(query: Query, by: Author): Promise<KeyStatements> {
    await query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.signingKeys]);
    return new KeyStatements(query, by);
  }

  /** Begins a chain. A key that the table has keeps its validity. */
  async addFirst(key: EvidenceSigner): Promise<void> {
    const notBefore = await this.insert(key.publicKey);
    const body = { key: { ...key.publicKey.toJwk(notBefore, null) } };
    await this.stateInRow(key, { kind: FIRST_KIND, about: key.publicKey, body });
  }

  /**
   * A new key for one purpose, in the place of another, which ends at that time; null: before it has signed. The signer
   * is one for receipts, unless it is said what for.
   */
  async addNext(
    signer: EvidenceSigner,
    next: { key: VerifyingKey; purpose: Purpose; replaces: string; ends: Date | null; signerFor?: Purpose },
  ): Promise<void> {
    const { key, purpose, replaces, signerFor } = next;
    const notBefore = await this.insert(key);
    const ends = next.ends ?? (await this.beginningOf(replaces));
    const body = { key: { ...key.toJwk(notBefore, null) }, purpose, replaces, ends: ends.toISOString() };
    await this.stateInRow(signer, { kind: 'key.rotated', about: key, body, signerFor });
  }

  /** Takes over a key that signed everything, with its end. */
  async adopt(first: EvidenceSigner, old: { key: VerifyingKey; notBefore: Date; notAfter: Date }): Promise<void> {
    const { key, notBefore, notAfter } = old;
    await this.end(key.kid, notAfter);
    const body = { key: { ...key.toJwk(notBefore, notAfter) } };
    await this.stateInRow(first, { kind: 'key.adopted', about: key, body });
  }

  /** A key on P-256 for COSE receipts, in the place of the one before it. */
  async addEs256(
    signer: EvidenceSigner,
    key: Es256VerifyingKey,
    before: { kid: string; ends: Date } | null,
  ): Promise<void> {
    const body = es256Body(key, new Date(Date.now() - EARLY_MS), before);
    const { cose } = await this.state(signer, { kind: ES256_KIND, subject: key.kid, body });
    await this.query('insert into es256_key (kid, statement) values ($1, $2)', [key.kid, Buffer.from(cose)]);
  }

  /** Sets when a key ends for all that it signs. */
  async end(kid: string, at: Date): Promise<void> {
    await this.query('update signing_key set not_after = least(not_after, $2) where kid = $1', [kid, at]);
  }

  /** To the second, as keys give their validity: what ends there has no time of its own at all. */
  private async beginningOf(kid: string): Promise<Date> {
    const [row] = await this.query<{ not_before: Date }>('select not_before from signing_key where kid = $1', [kid]);
    return new Date(Math.floor(row!.not_before.getTime() / 1000) * 1000);
  }

  private async insert(key: VerifyingKey): Promise<Date> {
    const [row] = await this.query<{ not_before: Date }>(
      `insert into signing_key (kid, public_key, not_before) values ($1, $2, $3)
       on conflict (kid) do update set kid = excluded.kid returning not_before`,
      [key.kid, Buffer.from(key.bytes), new Date(Date.now() - EARLY_MS)],
    );
    return row!.not_before;
  }

  /** Keeps the receipt with the key that it names. */
  private async stateInRow(
    signer: EvidenceSigner,
    {
      about,
      kind,
      body,
      signerFor,
    }: { kind: string; about: VerifyingKey; body: CborMap; signerFor?: Purpose | undefined },
  ): Promise<void> {
    const { cose } = await this.state(signer, { kind, subject: about.kid, body }, signerFor);
    await this.query('update signing_key set statement = $2 where kid = $1', [about.kid, Buffer.from(cose)]);
  }

  /** Records the receipt as every other. */
  private async state(
    signer: EvidenceSigner,
    fields: { kind: string; subject: string; body: CborMap },
    signerFor: Purpose = 'receipts',
  ): Promise<SignedReceipt> {
    const sent: Promise<unknown>[] = [];
    const send = (sql: string, parameters: unknown[] = []): void => void sent.push(this.query(sql, parameters));
    const store = new ReceiptsStore({ tenant: SERVER_TENANT, query: this.query, send, execute: this.query });
    const draft = await this.draft(store, signer, fields);
    const receipt = await signDraft(draft, signer, signerFor);
    const { seq, stream } = receipt.payload;
    store.append([receipt], [{ stream, seq, payloadHash: digestBytes('blake3', receipt.payloadHash) }]);
    await Promise.all(sent);
    return receipt;
  }

  private async draft(
    store: ReceiptsStore,
    signer: EvidenceSigner,
    fields: { kind: string; subject: string; body: CborMap },
  ): Promise<ReceiptDraft> {
    const head = (await store.lockHeads([KEY_STREAM])).get(KEY_STREAM)!;
    return draftReceipt(
      {
        ...fields,
        tenant_id: SERVER_TENANT,
        stream: KEY_STREAM,
        seq: head.seq + 1,
        prev: head.payloadHash === null ? null : `blake3:${Buffer.from(head.payloadHash).toString('hex')}`,
        occurred_at: new Date().toISOString(),
        actor: this.by.principal,
        auth_mode: this.by.authType,
      },
      signer,
    );
  }
}
