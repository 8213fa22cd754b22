import type { Query } from '../tenancy/cross-tenant.js';

/** A head of the log that a witness is asked to sign. */
export interface HeadToCosign {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  readonly kid: string;
  /** The signed note, without lines of witnesses. */
  readonly checkpoint: string;
  /** The lines of witnesses that it has. */
  readonly cosignatures: string;
}

/** The rows of what witnesses have signed, within one transaction of the operator role. */
export class CosignedHeadsStore {
  constructor(private readonly query: Query) {}

  /** undefined until the log has a head. */
  async findNewest(): Promise<HeadToCosign | undefined> {
    const [row] = await this.query<Omit<HeadToCosign, 'size'> & { size: string }>(
      `select h.origin, h.size, h.root, h.kid, h.checkpoint, coalesce(c.cosignatures, '') as cosignatures
       from log_head h left join log_cosigned_head c on (c.origin, c.size, c.root) = (h.origin, h.size, h.root)`,
    );
    return row && { ...row, size: Number(row.size) };
  }

  /**
   * Takes a turn at a witness, which one process of the database has at a time.
   * @returns the size that the witness has signed last of that origin; undefined when it was asked just now
   */
  async takeTurn(verifierKey: string, origin: string, everyMs: number): Promise<number | undefined> {
    const [row] = await this.query<{ size: string }>(
      `insert into log_witness as w (verifier_key, origin, size, asked_at) values ($1, $2, 0, now())
       on conflict (verifier_key) do update
         set asked_at = now(), origin = excluded.origin, size = case when w.origin = excluded.origin then w.size else 0 end
         where w.asked_at <= now() - $3 * interval '1 millisecond'
       returning size`,
      [verifierKey, origin, everyMs],
    );
    return row && Number(row.size);
  }

  /** Keeps the line of a witness with the head that it signed, unless a later head has one by now. */
  async add(verifierKey: string, head: HeadToCosign, line: string): Promise<void> {
    await this.query(SIGNED, [verifierKey, head.size, head.origin]);
    await this.query(ADD, [
      head.origin,
      head.size,
      Buffer.from(head.root),
      head.kid,
      head.checkpoint,
      line,
      signerOf(line),
    ]);
  }

  async fail(verifierKey: string, reason: string, disagrees: boolean): Promise<void> {
    await this.query('update log_witness set failed_at = now(), reason = $2, disagrees = $3 where verifier_key = $1', [
      verifierKey,
      reason,
      disagrees,
    ]);
  }

  /** By verifier key. */
  async listStates(): Promise<Map<string, WitnessState>> {
    const rows = await this.query<WitnessState>(
      'select verifier_key, signed_at, failed_at, reason, disagrees from log_witness',
    );
    return new Map(rows.map((row) => [row.verifier_key, row]));
  }
}

/** How asking a witness went last. */
export interface WitnessState {
  readonly verifier_key: string;
  readonly signed_at: Date | null;
  /** Of the last failure since then; null while there is none. */
  readonly failed_at: Date | null;
  readonly reason: string | null;
  /** It has seen another log than this one. */
  readonly disagrees: boolean;
}

/** The line up to where its key id ends, but for two bits. */
const signerOf = (line: string): string => line.slice(0, line.lastIndexOf(' ') + 6);

const SIGNED = `
  update log_witness
  set size = $2, signed_at = now(), failed_at = null, reason = null, disagrees = false
  where verifier_key = $1 and origin = $3`;

const ADD = `
  insert into log_cosigned_head as c (origin, size, root, kid, checkpoint, cosignatures) values ($1, $2, $3, $4, $5, $6)
  on conflict (only_one) do update
    set origin = excluded.origin, size = excluded.size, root = excluded.root, kid = excluded.kid,
      checkpoint = excluded.checkpoint,
      cosignatures = case when (c.origin, c.size, c.root) = (excluded.origin, excluded.size, excluded.root)
        then c.cosignatures else '' end || excluded.cosignatures,
      cosigned_at = now()
    where c.origin <> excluded.origin or c.size < excluded.size
      or (c.size = excluded.size and c.root <> excluded.root)
      or ((c.size, c.root) = (excluded.size, excluded.root) and not starts_with(c.cosignatures, $7)
        and position(e'\\n' || $7 in c.cosignatures) = 0)
`;
