import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADVISORY_LOCKS } from '../../../src/common/database/advisory-locks.js';
import { CheckpointKeeper } from '../../../src/common/evidence-log/checkpoint-keeper.js';
import { EvidenceService } from '../../../src/common/evidence-log/evidence.service.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { PROGRAM } from '../../kit/program.js';
import { openEvidence, sampleEvent } from './evidence-app.js';

/** What a log is made of. */
const TABLES = ['log_head', 'log_leaf', 'log_tile', 'log_pending', 'log_epoch', 'receipt', 'receipt_head'];
const ORIGIN = 'svc.local%2Flog%2F1';

describe('checkpoints that are kept outside the database', { timeout: 120_000 }, () => {
  let folder: string;
  let daemon: TestDaemon;
  let owner: Client;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-kept-'));
    daemon = await startDaemon({ env: { SVC_CHECKPOINT_DIR: folder } });
    owner = new Client({ connectionString: daemon.database.superuserUrl });
    await owner.connect();
    await owner.query('set session_replication_role = replica');
    await record(3);
    await owner.query('create schema kept');
    for (const table of TABLES) await owner.query(`create table kept.${table} as table ${table}`);
  }, 120_000);
  afterAll(async () => {
    await owner.end();
    await daemon.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** As many receipts as said, in the log and outside it. */
  async function record(count: number): Promise<void> {
    const evidence = daemon.app.get(EvidenceService, { strict: false });
    const events = Array.from({ length: count }, (_, n) => sampleEvent(n));
    await daemon.app.get(Tenancy).run('default', () => evidence.recordMany(events));
    await daemon.app.get(LogSequencer, { strict: false }).integrate();
    await daemon.app.get(CheckpointKeeper, { strict: false }).keep();
  }
  const sizes = (): string[] => readdirSync(join(folder, ORIGIN)).sort();
  async function gate(): Promise<{ ok: boolean; detail: string }> {
    const { checks } = (await send(daemon.url, 'GET', '/readyz')).body;
    return checks.find((check: { gate: string }) => check.gate === 'control_evidence_ok');
  }
  const untilGate = (expected: object, message: string) =>
    expect.poll(gate, { timeout: 60_000, interval: 500, message }).toMatchObject(expected);
  function doctor(): { ok: boolean; detail: string } {
    const env = {
      PATH: process.env['PATH'],
      SVC_DATABASE_URL: daemon.database.url,
      SVC_DATA_DIR: daemon.dataDir,
      SVC_CHECKPOINT_DIR: folder,
    };
    const program = [PROGRAM, 'doctor', '--json'];
    const { stdout } = spawnSync(process.execPath, program, { env, encoding: 'utf8' });
    return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'checkpoints');
  }
  /** In one transaction that has the log, so that no process extends it in between. */
  async function tamper(...statements: string[]): Promise<void> {
    const whole = ['begin', `select pg_advisory_xact_lock(${ADVISORY_LOCKS.log})`, ...statements, 'commit'];
    await owner.query(whole.join('; '));
  }
  const setBack = (): Promise<void> =>
    tamper(
      ...TABLES.flatMap((table) => [
        `delete from ${table}`,
        `insert into ${table} overriding system value select * from kept.${table}`,
      ]),
    );

  it('are those of the log, as they were signed', async () => {
    expect(sizes()).toContain('7.txt');
    const [head] = await daemon.database.query<{ checkpoint: string }>('select checkpoint from log_head');
    expect(readFileSync(join(folder, ORIGIN, '7.txt'), 'utf8')).toBe(head!.checkpoint);
    await untilGate({ ok: true }, 'the log as it was kept');
    expect(doctor()).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/^the log extends the \d+ that were kept$/),
    });
  });

  it('show that the database was set back, and stay as they are', async () => {
    await record(5);
    const before = sizes();
    expect(before).toContain('12.txt');
    await setBack();
    const short =
      'the checkpoint of 12 leaves of svc.local/log/1 was kept, and the log has only 7 leaves: it was set back';
    await untilGate({ ok: false, detail: expect.stringContaining(short) }, 'set back');
    expect(doctor()).toMatchObject({ ok: false, detail: short });

    await record(9);
    const other = 'the checkpoint of 12 leaves of svc.local/log/1 was kept, and the log does not extend it';
    await untilGate({ ok: false, detail: expect.stringContaining(other) }, 'set back, and written on');
    expect(doctor()).toMatchObject({ ok: false, detail: expect.stringContaining(other) });
    expect(sizes()).toEqual(before);
  });

  it('show that the log is gone', async () => {
    await tamper(...TABLES.map((table) => `delete from ${table}`));
    await untilGate({ ok: false, detail: expect.stringContaining('12 leaves of svc.local/log/1 was kept') }, 'gone');
  });

  it('show another log, and a next epoch that nobody signed', async () => {
    await setBack();
    const away = 'was kept, and no epoch of this log follows svc.local/log/1';
    await owner.query(
      `update log_head set origin = 'svc.local/log/2', checkpoint = replace(checkpoint, 'log/1', 'log/2')`,
    );
    await untilGate({ ok: false, detail: expect.stringContaining(away) }, 'another origin');
    await owner.query(`insert into log_epoch (epoch, origin, name, previous_origin, restored_checkpoint, record)
      select 2, 'svc.local/log/2', name, origin, (select checkpoint from kept.log_head), record from log_epoch`);
    expect(doctor()).toMatchObject({ ok: false, detail: expect.stringContaining(away) });
    await setBack();
  });

  it('show a restore that nobody asked for, although the epoch is signed', async () => {
    await setBack();
    await tamper(
      `insert into log_epoch (epoch, origin, name, previous_origin, restored_checkpoint)
       select 2, 'svc.local/log/2', 'svc.local/log', 'svc.local/log/1', checkpoint from kept.log_head`,
      `insert into log_pending (pending_id, record_type, record_digest) overriding system value
       select leaf_index - 4, record_type, record_digest from log_leaf`,
      ...['log_leaf', 'log_tile', 'log_head'].map((table) => `delete from ${table}`),
    );
    await record(1);
    const [head] = await daemon.database.query<{ origin: string }>('select origin from log_head');
    expect(head).toEqual({ origin: 'svc.local/log/2' });
    const newer = '12 leaves of svc.local/log/1 was kept, and svc.local/log/2 says that it follows 7';
    await untilGate({ ok: false, detail: expect.stringContaining(newer) }, 'an epoch by SQL');
    expect(doctor()).toMatchObject({ ok: false, detail: expect.stringContaining(newer) });
    await setBack();
  });

  it('show it when one of them was changed', async () => {
    rmSync(join(folder, ORIGIN, '12.txt'));
    await untilGate({ ok: true }, 'the largest is away');
    const file = join(folder, ORIGIN, '7.txt');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('\n7\n', '\n6\n'));
    expect(doctor()).toMatchObject({ ok: false, detail: expect.stringContaining('is another') });
    writeFileSync(file, text.replace(/.{9}\n$/, 'AAAAAAAA=\n'));
    expect(doctor()).toMatchObject({ ok: false, detail: expect.stringMatching(/no key|cannot be read/) });
    writeFileSync(file, text);
    await untilGate({ ok: true }, 'whole again');
  });
});

describe('the last checkpoint of a process', () => {
  let database: TestDatabase;
  let dataDir: string;
  beforeAll(async () => {
    database = await freshDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'svc-last-'));
  });
  afterAll(async () => {
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is kept when it ends, in its data directory unless another folder is named', async () => {
    const app = await openEvidence(database.url, { SVC_DATA_DIR: dataDir });
    await app.tenancy.run('acme', () => app.evidence.recordMany([1, 2].map((n) => sampleEvent(n))));
    await app.sequencer.integrate();
    await app.close();
    expect(readdirSync(join(dataDir, 'checkpoints', ORIGIN))).toContain('6.txt');
  });
});
