import type { Query } from '../tenancy/cross-tenant.js';

/** A timestamp over a checkpoint of the log. */
export interface KeptTimestamp {
  readonly origin: string;
  readonly size: number;
  /** The signed note that was stamped. */
  readonly checkpoint: string;
  readonly token: Uint8Array;
  readonly stampedAt: Date;
  readonly authority: string;
}

/** How asking an authority went last. */
export interface AuthorityState {
  readonly stamped_at: Date | null;
  readonly failed_at: Date | null;
  readonly reason: string | null;
}

/** So many of the newest stay, and of those before the first of each day (UTC). */
const NEWEST = 16;

/** The rows of timestamps, within one transaction of the operator role. */
export class TimestampsStore {
  constructor(private readonly query: Query) {}

  /**
   * Takes the turn of asking, which one process of the database has at a time.
   * @returns the newest head, when it has no timestamp yet and the time has come
   */
  async takeTurn(
    url: string,
    everyMs: number,
  ): Promise<{ origin: string; size: number; checkpoint: string } | undefined> {
    const [head] = await this.query<{ origin: string; size: string; checkpoint: string }>(UNSTAMPED);
    if (!head) return undefined;
    const turns = await this.query(TAKE, [url, everyMs]);
    return turns.length > 0 ? { ...head, size: Number(head.size) } : undefined;
  }

  async add(url: string, stamp: KeptTimestamp): Promise<void> {
    const { origin, size, checkpoint, token, stampedAt, authority } = stamp;
    await this.query(
      `insert into log_timestamp (origin, size, checkpoint, token, stamped_at, authority) values ($1, $2, $3, $4, $5, $6)
       on conflict do nothing`,
      [origin, size, checkpoint, Buffer.from(token), stampedAt, authority],
    );
    await this.query(THIN, [NEWEST]);
    await this.query('update log_authority set stamped_at = now(), failed_at = null, reason = null where url = $1', [
      url,
    ]);
  }

  /** The next turn is within a minute. */
  async fail(url: string, reason: string, everyMs: number): Promise<void> {
    await this.query(
      `update log_authority set failed_at = now(), reason = $2, next_at = now() + ${jittered('$3::float8')} where url = $1`,
      [url, reason, Math.min(everyMs, 60_000)],
    );
  }

  async findState(url: string): Promise<AuthorityState | undefined> {
    const [row] = await this.query<AuthorityState>(
      'select stamped_at, failed_at, reason from log_authority where url = $1',
      [url],
    );
    return row;
  }

  /**
   * Of a log of so many leaves: the first timestamp that has the first of these leaves, and the first that has all of
   * them; while there is none yet, the newest.
   */
  async findFor(origin: string, size: number, leaves: readonly number[]): Promise<KeptTimestamp[]> {
    if (leaves.length === 0) return [];
    const rows = await this.query<Omit<KeptTimestamp, 'size' | 'token'> & { size: string; token: Buffer }>(FIND, [
      origin,
      size,
      Math.min(...leaves),
      Math.max(...leaves),
    ]);
    return rows.map((row) => ({ ...row, size: Number(row.size) }));
  }
}

/** So many milliseconds, a tenth more or less. */
const jittered = (ms: string): string => `${ms} * (0.9 + 0.2 * random()) * interval '1 millisecond'`;

const UNSTAMPED = `
  select h.origin, h.size, h.checkpoint from log_head h
  where not exists (select from log_timestamp t where (t.origin, t.size) = (h.origin, h.size))`;
const TAKE = `
  insert into log_authority as a (url, next_at) values ($1, now() + ${jittered('$2::float8')})
  on conflict (url) do update set next_at = excluded.next_at where a.next_at <= now()
  returning url`;
const THIN = `
  delete from log_timestamp where (origin, size) in (
    select origin, size from (
      select origin, size, row_number() over (order by stamped_at desc, size desc) as newest,
        row_number() over (partition by origin, date_trunc('day', stamped_at, 'UTC') order by stamped_at, size) as of_day
      from log_timestamp
    ) ranked where newest > $1 and of_day > 1)`;
const FIND = `
  with usable as (select * from log_timestamp where origin = $1 and size <= $2)
  select origin, size, checkpoint, token, stamped_at as "stampedAt", authority from usable
  where size in (
    (select min(size) from usable where size > $3),
    coalesce((select min(size) from usable where size > $4), (select max(size) from usable)))
  order by size`;
