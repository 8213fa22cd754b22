import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import { findEmbedded } from '../database/embedded/embedded.js';
import type { DatabaseAddress } from '../database/connection.js';

/** What a run has come to. */
export interface ScrubOutcome {
  /** Requests that are done. */
  readonly finished: number;
  /** Requests that are open still. */
  readonly open: number;
  /** What it waits for, where some are open: a sentence for the operator. */
  readonly waitsFor: string | null;
}

interface ScrubOptions {
  /** Of the process: the embedded server is reached as its superuser. */
  readonly dataDir: string;
  readonly isStopped?: () => boolean;
}

const LOCK_TIMEOUT = '3s';
/** A table that is never free for so long is tried again by the next run. */
const ATTEMPTS = 20;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Rewrites the files of the database without what was removed: every table that can hold content, the statistics of
 * the planner, and the write-ahead log. Each step may be done again, so a process that dies leaves nothing half: the
 * next run begins at the first step. A table is locked while it is rewritten, and given up for a while when others have
 * it.
 * @returns undefined while another process is at it
 */
export async function runScrub(address: DatabaseAddress, options: ScrubOptions): Promise<ScrubOutcome | undefined> {
  const url =
    findEmbedded(options.dataDir) === address.ownerUrl ? findEmbedded(options.dataDir, 'postgres') : address.ownerUrl;
  if (url === undefined)
    return {
      finished: 0,
      open: 1,
      waitsFor: 'This process has no address of the database owner: run "svc erase run" where SVC_DATABASE_URL is set',
    };
  const client = new Client({ connectionString: url, application_name: 'svc scrub' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      ADVISORY_LOCKS.scrub,
    ]);
    return rows[0]!.locked ? await new Scrub(client, options.isStopped ?? (() => false)).run() : undefined;
  } finally {
    await client.end();
  }
}

class Scrub {
  constructor(
    private readonly client: Client,
    private readonly isStopped: () => boolean,
  ) {}

  async run(): Promise<ScrubOutcome> {
    const open = await this.query<{ scrub_id: string }>(
      `update scrub set began_at = coalesce(began_at, now()) where finished_at is null returning scrub_id`,
    );
    const ids = open.map(({ scrub_id }) => scrub_id);
    if (ids.length === 0) return { finished: 0, open: 0, waitsFor: null };
    const waitsFor = await this.findObstacle(ids);
    if (waitsFor !== null) return this.give(ids, waitsFor);
    for (const { name } of await this.query<TableName>(TABLES)) {
      if (this.isStopped()) return this.give(ids, 'the process stops; the next one goes on');
      await this.say(ids, `rewriting ${name}`);
      if (!(await this.rewrite(`vacuum (full) ${name}`))) return this.give(ids, `${name} is in use; it is tried again`);
    }
    await this.say(ids, 'making statistics');
    const isRewritten = await this.renewStatistics();
    if (!isRewritten) return this.give(ids, 'the statistics of the planner are in use; they are tried again');
    await this.say(ids, 'ending the write-ahead log');
    // What the first one leaves in the segment that is in use is gone with the second.
    await this.client.query('checkpoint');
    await this.query('select pg_switch_wal()');
    await this.client.query('checkpoint');
    await this.query('update scrub set finished_at = now(), step = null where scrub_id = any($1)', [ids]);
    return { finished: ids.length, open: 0, waitsFor: null };
  }

  /** What stands in the way of a run that would be complete. */
  private async findObstacle(ids: readonly string[]): Promise<string | null> {
    const [rights] = await this.query<Rights>(RIGHTS);
    const { owner, checkpoints, switches, recycles } = rights!;
    const lacks = [
      ...(checkpoints ? [] : [`grant pg_checkpoint to ${owner}`]),
      ...(switches ? [] : [`grant execute on function pg_switch_wal() to ${owner}`]),
      ...(recycles ? ['alter system set wal_recycle = off; select pg_reload_conf()'] : []),
    ];
    if (lacks.length > 0) return `a superuser has to say: ${lacks.join('; ')}`;
    const [index] = await this.query<{ stale: boolean }>(STALE_INDEX);
    if (index!.stale) return 'segments of the index are rewritten by the API first';
    for (let attempt = 0; ; attempt++) {
      const [old] = await this.query<{ readers: number }>(OLD_READERS, [ids]);
      if (old!.readers === 0) return null;
      if (attempt === ATTEMPTS || this.isStopped())
        return `${old!.readers} transaction(s) that began before the removal are open`;
      await wait(250);
    }
  }

  /** @returns false where others had it too long */
  private async rewrite(statement: string): Promise<boolean> {
    await this.client.query(`set lock_timeout = '${LOCK_TIMEOUT}'; set statement_timeout = 0`);
    for (let attempt = 0; attempt < ATTEMPTS && !this.isStopped(); attempt++) {
      try {
        await this.client.query(statement);
        return true;
      } catch (error) {
        if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
        await wait(100 * (attempt + 1));
      }
    }
    return false;
  }

  /** Samples of values stand there; of a table that is empty ANALYZE keeps the old ones. */
  private async renewStatistics(): Promise<boolean> {
    const [me] = await this.query<{ superuser: boolean; clears: boolean }>(
      `select rolsuper as superuser, to_regproc('pg_clear_attribute_stats') is not null as clears from pg_roles where rolname = current_user`,
    );
    if (me!.superuser)
      await this.query(
        `delete from pg_statistic s using pg_class c where c.oid = s.starelid and c.relnamespace::regnamespace::text in ('public', 'pgboss')`,
      );
    else if (me!.clears)
      await this.query(
        `select pg_clear_attribute_stats(s.schemaname, s.tablename, s.attname, s.inherited) from pg_stats s where s.schemaname in ('public', 'pgboss')`,
      );
    if (!(await this.rewrite('analyze'))) return false;
    return this.rewrite('vacuum (full) pg_catalog.pg_statistic');
  }

  private async say(ids: readonly string[], step: string): Promise<void> {
    await this.query('update scrub set step = $2 where scrub_id = any($1)', [ids, step]);
  }

  private async give(ids: readonly string[], waitsFor: string): Promise<ScrubOutcome> {
    await this.say(ids, waitsFor);
    return { finished: 0, open: ids.length, waitsFor };
  }

  private async query<Row extends object>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return (await this.client.query<Row>(sql, parameters)).rows;
  }
}

interface TableName {
  name: string;
}
interface Rights {
  owner: string;
  checkpoints: boolean;
  switches: boolean;
  recycles: boolean;
}

/** Every table of tenants and of the job queue; of those that only grow the ones that an erasure takes rows from. */
const TABLES = `
  select c.oid::regclass::text as name from pg_class c
  where c.relkind in ('r', 'm') and c.relnamespace::regnamespace::text in ('public', 'pgboss')
    and c.relname not in ('scrub', 'migration', 'sql_function', 'log_leaf', 'log_tile', 'ledger_entry')
  order by 1`;

const RIGHTS = `
  select quote_ident(current_user) as owner, pg_has_role(current_user, 'pg_checkpoint', 'usage') or r.rolsuper as checkpoints,
    has_function_privilege('pg_switch_wal()', 'execute') as switches, current_setting('wal_recycle')::boolean as recycles
  from pg_roles r where r.rolname = current_user`;

/** Passages that are out of search, and whose words stand in segments. */
const STALE_INDEX = `
  select exists (select from index_garbage) or exists (
    select from index_tombstone t where not exists (select from chunk c where c.tenant_id = t.tenant_id and c.chunk_id = t.chunk_id)) as stale`;

/** Sessions whose snapshot may still see what was removed: PostgreSQL would keep it for them. */
const OLD_READERS = `
  select count(*)::int as readers from pg_stat_activity a
  where a.pid <> pg_backend_pid() and a.backend_xmin is not null
    and age(a.backend_xmin) >= (select min(age(s.removed_by::xid)) from scrub s where s.scrub_id = any($1))`;
