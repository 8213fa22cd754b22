import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { clearCorruption } from '../../../src/cli/doctor/corruption.js';
import { logProgressCheck } from '../../../src/cli/doctor/log-progress-check.js';
import { loadSettings } from '../../../src/common/config/settings.js';
import { EvidenceService } from '../../../src/common/evidence-log/evidence.service.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { ADVISORY_LOCKS } from '../../../src/common/database/advisory-locks.js';
import type { Query } from '../../../src/common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { untilFails, untilReady } from './drills.js';

// A finding is cached for a moment, and some are looked for every few seconds only.
vi.setConfig({ testTimeout: 120_000 });

let daemon: TestDaemon;
let owner: Client;
beforeAll(async () => {
  // Three reads lose their connection within it on a busy machine too.
  daemon = await startDaemon({
    env: { SVCD_READ_RETRY_THRESHOLD: '2', SVCD_READ_RETRY_WINDOW_SECS: '20', SVC_LOG_INTERVAL_MS: '50' },
  });
  owner = new Client({ connectionString: daemon.database.superuserUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await daemon.close();
});

/** What a drill did to the rows, undone: also when the drill failed. */
const undo: string[] = [];
afterEach(async () => {
  for (const sql of undo.splice(0)) await past(sql);
});

/** One statement past row-level security, as only the owner of the tables can. */
async function past(sql: string): Promise<void> {
  const [, table] = /^(?:update|delete from|insert into) (\w+)/.exec(sql) ?? [];
  const secured = await owner.query(`select relrowsecurity as is from pg_class where relname = $1`, [table]);
  const open = secured.rows[0]?.is === true;
  await owner.query(
    open
      ? `begin; alter table ${table} disable row level security; ${sql}; alter table ${table} enable row level security; commit`
      : sql,
  );
}

async function harm(sql: string, mend: string): Promise<void> {
  undo.push(mend);
  await past(sql);
}
const mend = async () => {
  for (const sql of undo.splice(0)) await past(sql);
};

describe('read_retry_failed_threshold', () => {
  const put = (key: string) => daemon.call('PUT', '/v1/facts', { entity: 'drill', key, value: 'v' });
  const read = () => daemon.call('GET', '/v1/facts/entity/drill');

  /** Ends the connection of a read in progress, so many times. */
  async function loseConnections(count: number): Promise<number[]> {
    const reads: Promise<{ status: number }>[] = [];
    for (let n = 0; n < count; n++) {
      await owner.query(
        'begin; lock table fact in access exclusive mode; lock table fact_head in access exclusive mode',
      );
      reads.push(read());
      await expect.poll(endWaiting, { timeout: 10_000, interval: 20 }).toBeGreaterThan(0);
      await owner.query('commit');
      await reads.at(-1);
    }
    return (await Promise.all(reads)).map(({ status }) => status);
  }

  /** Those of the application: the daemon's own looks at the tables, as the operator, wait as well. */
  async function endWaiting(): Promise<number> {
    const { rows } = await owner.query(`
      select pg_terminate_backend(l.pid) from pg_locks l join pg_stat_activity a using (pid)
      where not l.granted and l.relation in ('fact'::regclass, 'fact_head'::regclass) and a.datname = current_database() and a.usename = 'svc_app'`);
    return rows.length;
  }

  it('fails when more reads than that lost their connection, each of which was answered all the same, and recovers in time', async () => {
    await put('k');
    await untilReady(daemon.url);
    expect(await loseConnections(3)).toEqual([200, 200, 200]);
    const { detail } = await untilFails(daemon.url, 'read_retry_failed_threshold');
    expect(detail).toContain('more than 2 reads (SVCD_READ_RETRY_THRESHOLD)');
    expect((await send(daemon.url, 'GET', '/metrics')).text).toContain('svc_read_retries_total{outcome="answered"} 3');
    await untilReady(daemon.url);
  });

  it('passes below the threshold', async () => {
    expect(await loseConnections(1)).toEqual([200]);
    await untilReady(daemon.url);
  });
});

describe('projection_snapshots_valid', () => {
  it.each([
    ['is not its last record', 'version = version + 1', 'version = version - 1'],
    ['bears another name', `entity = 'projected-2'`, `entity = 'projected'`],
  ])('fails when the head of a chain of facts %s, names it, and recovers', async (_what, wrong, right) => {
    const { body } = await daemon.call('PUT', '/v1/facts', { entity: 'projected', key: 'k', value: 'v' });
    await untilReady(daemon.url);
    const where = `where starts_with(entity, 'projected')`;
    await harm(`update fact_head set ${wrong} ${where}`, `update fact_head set ${right} ${where}`);
    const { samples, detail } = await untilFails(daemon.url, 'projection_snapshots_valid');
    expect(samples).toEqual([`facts.heads:${body.fact_id}`]);
    expect(detail).toMatch(/^1 of \d+ derived rows differ/);
    await mend();
    await untilReady(daemon.url);
  });

  it.each([
    ['facts.totals', 'update fact_count set records = records + 1', 'update fact_count set records = records - 1'],
    [
      'graph.entities',
      'update graph_entity set version = version + 1',
      'update graph_entity set version = version - 1',
    ],
    ['graph.kinds', `update graph_kind set live = live + 1`, `update graph_kind set live = live - 1`],
    [
      'streams.heads',
      'update stream_head set next_seq = next_seq + 1',
      'update stream_head set next_seq = next_seq - 1',
    ],
  ])('fails when %s differ from a replay, and recovers', async (name, wrong, right) => {
    await daemon.call('PUT', '/v1/entities/person/ada', { payload: { born: 1815 } });
    const events = [{ type: 'seen', payload: { n: 1 } }];
    await daemon.call('POST', '/v1/append', { tenant_id: 'default', stream_type: 'log', stream_id: 's', events });
    await untilReady(daemon.url);
    await harm(wrong, right);
    const { samples } = await untilFails(daemon.url, 'projection_snapshots_valid');
    expect(samples?.every((sample) => new RegExp(`^${name}:[0-9a-f]{12}$`).test(sample))).toBe(true);
    await mend();
    await untilReady(daemon.url);
  });

  it('holds while facts are written all the time', async () => {
    const writers = Array.from({ length: 4 }, async (_, w) => {
      for (let n = 0; n < 40; n++)
        await daemon.call('PUT', '/v1/facts', { entity: `busy-${w}`, key: String(n % 5), value: String(n) });
    });
    let done = false;
    const all = Promise.all(writers).finally(() => (done = true));
    while (!done) await untilReady(daemon.url);
    await all;
    await untilReady(daemon.url);
  });
});

describe('corruption_state_clear', () => {
  const address = () => ({ ownerUrl: daemon.database.url });
  const clear = () => clearCorruption(loadSettings({ NODE_ENV: 'test' }), address());
  const ingest = () =>
    daemon.call('POST', '/v1/local/ingest', {
      tenant_id: 'default',
      corpus_id: 'handbook',
      documents: [{ doc_id: 'a', title: 'Wombats', text: 'Wombats dig burrows.' }],
    });
  const flip = 'update sealed_segment set frames = set_byte(frames, 0, get_byte(frames, 0) # 1)';

  it('fails when a sealed segment was changed, stays so after a repair and a restart, until the operator clears it', async () => {
    expect((await ingest()).status).toBeLessThan(300);
    await untilReady(daemon.url);
    await harm(flip, flip);
    const { detail } = await untilFails(daemon.url, 'corruption_state_clear');
    expect(detail).toContain('1 of segment');
    expect(detail).not.toContain('default');
    expect((await send(daemon.url, 'GET', '/metrics')).text).toMatch(/^svc_segment_corrupt_total 1$/m);

    await mend();
    const second = await startDaemon({ database: daemon.database });
    try {
      await untilFails(second.url, 'corruption_state_clear');
      expect(await clear()).toMatchObject([{ source: 'segment', subject: 'default/1' }]);
      await untilReady(second.url);
      await untilReady(daemon.url);
    } finally {
      await second.close();
    }
    expect(await clear()).toEqual([]);
  });

  it('finds again what was cleared and is still damaged', async () => {
    await harm(flip, flip);
    await untilFails(daemon.url, 'corruption_state_clear');
    expect(await clear()).toHaveLength(1);
    await expect.poll(async () => (await clear()).length, { timeout: 20_000, interval: 500 }).toBe(1);
    await mend();
    await clear();
    await untilReady(daemon.url);
  });
});

describe('control_evidence_ok', () => {
  beforeAll(async () => {
    const evidence = daemon.app.get(EvidenceService, { strict: false });
    await daemon.app
      .get(Tenancy)
      .run('default', () => evidence.record({ kind: 'k', actor: 'a', subject: 's', body: {}, authMode: 'off' }));
    await daemon.app.get(LogSequencer, { strict: false }).integrate();
  });

  it.each([
    [
      'the head of the log is not its leaves',
      'update log_head set size = size + 1',
      'update log_head set size = size - 1',
      'leaves, and its head says',
    ],
    [
      'a tile of the log was changed',
      'update log_tile set hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1)',
      'update log_tile set hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1)',
      "the checkpoint's root is not that of the log's tiles",
    ],
    [
      'the signing key is not in use any more',
      `update signing_key set not_after = now() - interval '1 minute'`,
      'update signing_key set not_after = null',
      'rotated out',
    ],
    [
      'a key was written into the table that no key of the server names',
      `insert into signing_key (kid, public_key, not_before) values ('planted', decode(repeat('11', 32), 'hex'), '2020-01-01')`,
      `delete from signing_key where kid = 'planted'`,
      'no chain leads from the first key to the signing key planted',
    ],
    [
      'a chain of receipts does not end where its head says',
      `update receipt_head set seq = seq + 1 where stream = 'main'`,
      `update receipt_head set seq = seq - 1 where stream = 'main'`,
      '1 chains of receipts',
    ],
    [
      'row-level security is not forced everywhere',
      'alter table fact no force row level security',
      'alter table fact force row level security',
      'row-level security is not forced on fact',
    ],
    [
      'a migration has not run',
      `create table kept_migration as select * from migration where name like 'CreateFacts%'; delete from migration where name like 'CreateFacts%'`,
      `insert into migration select * from kept_migration; drop table kept_migration`,
      '1 migration(s) have not run',
    ],
    [
      'the schema is of another line',
      `update migration set name = 'x' || name where name like 'CreateFacts%'`,
      `update migration set name = substr(name, 2) where name like 'xCreateFacts%'`,
      'does not know CreateFacts',
    ],
  ])('fails when %s, and recovers', async (_, wrong, right, reason) => {
    await untilReady(daemon.url);
    await harm(wrong, right);
    expect((await untilFails(daemon.url, 'control_evidence_ok')).detail).toContain(reason);
    await mend();
    await untilReady(daemon.url);
  });

  it('fails when the log takes none of the records that wait, as svc doctor does, and recovers', async () => {
    const ask: Query = async <Row>(sql: string, parameters?: unknown[]) =>
      (await owner.query(sql, parameters)).rows as Row[];
    const { run } = logProgressCheck(loadSettings({ SVC_LOG_INTERVAL_MS: '50' }), ask);
    await untilReady(daemon.url);
    expect(await run()).toBe('no record waits for the log');
    await harm(`select pg_advisory_lock(${ADVISORY_LOCKS.log})`, `select pg_advisory_unlock(${ADVISORY_LOCKS.log})`);
    await daemon.call('PUT', '/v1/facts', { entity: 'drill', key: 'waits', value: 'v' });
    const late = /^records have waited for the log for \d+ s, and it takes none/;
    expect((await untilFails(daemon.url, 'control_evidence_ok')).detail).toMatch(late);
    await expect(run()).rejects.toThrow(late);
    await mend();
    await untilReady(daemon.url);
  });
});

describe('a database that hangs', () => {
  it('makes what needs it fail and say so; the probe still answers, and so does liveness', async () => {
    await untilReady(daemon.url);
    await owner.query('begin; lock table migration in access exclusive mode');
    const { detail } = await untilFails(daemon.url, 'control_evidence_ok');
    expect(detail).toMatch(/cannot be checked|did not answer/);
    expect((await send(daemon.url, 'GET', '/healthz')).status).toBe(200);
    await owner.query('commit');
    await untilReady(daemon.url);
  });
});
