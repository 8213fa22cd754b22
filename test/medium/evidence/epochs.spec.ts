import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SETTINGS, type Settings } from '../../../src/common/config/settings.js';
import { KnownKeys } from '../../../src/common/evidence-log/known-keys.js';
import { readKeyFile } from '../../../src/common/evidence-log/key-files.js';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { RECORDS_ERASED } from '../../../src/common/evidence-log/removed-records.js';
import { ServerStatements } from '../../../src/common/evidence-log/server-statements.js';
import { ProofPacks } from '../../../src/common/evidence-log/proof-packs.js';
import { CrossTenant } from '../../../src/common/tenancy/cross-tenant.js';
import { RecordErasureService } from '../../../src/modules/access/tenants/record-erasure.service.js';
import { parseCheckpoint } from '../../../src/evidence/checkpoint.js';
import { verifyBundle } from '../../../src/evidence/export/verify-bundle.js';
import { openEpoch } from '../../../src/evidence/log-epoch.js';
import { emptyRoot } from '../../../src/evidence/merkle.js';
import { SigningKey } from '../../../src/evidence/signing-key.js';
import { type Verdict, verifyPack } from '../../../src/evidence/verify-pack.js';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../../kit/database.js';
import { startDaemon } from '../../kit/daemon.js';
import { PROGRAM } from '../../kit/program.js';
import { signCheckpoint } from '../../kit/signed-forms.js';
import { type EvidenceApp, openEvidence, sampleEvent } from './evidence-app.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const FORMS = join(ROOT, 'test', 'e2e', 'evidence');
type Judge = { judge(file: Uint8Array): { ok: boolean; failed: string | null } };
const packs = (await import(/* @vite-ignore */ join(FORMS, 'independent-verifier.mjs'))) as Judge;
const exports = (await import(/* @vite-ignore */ join(FORMS, 'independent-export.mjs'))) as Judge;
const LIMITS = { bytes: 2 ** 26, ratio: 1000, ratioFloor: 2 ** 26, entries: 64 };

type Database = Pick<TestDatabase, 'url' | 'superuserUrl' | 'drop'>;

let folder: string;
/** The state that was backed up, and what the log grew to after it. */
let first: { database: Database; backup: string; ids: string[]; backedUp: string; newest: string };
const sizeOf = (checkpoint: string): number => parseCheckpoint(checkpoint).size;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-epochs-'));
  writeFileSync(join(folder, 'passphrase'), 'correct horse battery staple');
  const database = await freshDatabase();
  const app = await openEvidence(database.url, { SVC_DATA_DIR: join(folder, 'first') });
  const ids = await record(app, 6);
  const backedUp = await checkpointOf(database);
  const backup = join(folder, 'backup.tar.gz');
  expect((await run(database.url, 'first', ['backup', backup])).code).toBe(0);
  await record(app, 4);
  const newest = await checkpointOf(database);
  await app.close();
  first = { database, backup, ids, backedUp, newest };
}, 120_000);
afterAll(async () => {
  await first.database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function record(app: EvidenceApp, count: number): Promise<string[]> {
  const made = await app.tenancy.run('acme', () =>
    app.evidence.recordMany(Array.from({ length: count }, (_, n) => sampleEvent(n))),
  );
  await app.sequencer.integrate();
  return made.map(({ receiptId }) => receiptId);
}

async function checkpointOf(database: Database): Promise<string> {
  const [head] = await rowsOf<{ checkpoint: string }>(database, 'select checkpoint from log_head');
  return head!.checkpoint;
}

/**
 * Runs a verb with a data directory below the folder; none of the checkpoints there count unless it is said. The
 * signing keys go with each backup.
 */
async function run(
  databaseUrl: string,
  dataDir: string,
  args: string[],
  settings: Record<string, string> = {},
): Promise<{ code: number; said: any }> {
  const env = {
    PATH: process.env['PATH'],
    SVC_DATABASE_URL: databaseUrl,
    SVC_DATA_DIR: join(folder, dataDir),
    ...settings,
  };
  const keys = [...(args[0] === 'backup' ? ['--with-keys'] : []), '--passphrase-file', join(folder, 'passphrase')];
  const child = spawn(process.execPath, [PROGRAM, ...args, ...keys, '--json'], { env });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.resume();
  const [code] = (await once(child, 'close')) as [number];
  return { code, said: JSON.parse(stdout) };
}

/** Statements as the superuser, whom nothing holds. */
async function rowsOf<Row extends object>(
  database: Pick<TestDatabase, 'superuserUrl'>,
  sql: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: database.superuserUrl });
  await client.connect();
  try {
    return (await client.query<Row>(sql, parameters)).rows;
  } finally {
    await client.end();
  }
}

/** That signs checkpoints. */
const logKeyOf = (dataDir: string): SigningKey =>
  readKeyFile(join(folder, dataDir, 'keys', 'signing-key.pem')).keys.find(({ purpose }) => purpose === 'log')!
    .key as SigningKey;
const readRoot = (checkpoint: string): Uint8Array => parseCheckpoint(checkpoint).root;

function keep(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** A pack, judged by the product and by the independent program. */
async function packOf(app: EvidenceApp, ids: string[], earlier: string[] = []): Promise<Verdict> {
  const file = await app.tenancy.run('acme', () =>
    app.context
      .get(ProofPacks)
      .make({ subject: { type: 'receipt', id: 'x' }, receiptIds: ids, chunks: [], earlierCheckpoints: earlier }),
  );
  const verdict = verifyPack(file);
  expect(packs.judge(file)).toMatchObject({
    ok: verdict.ok,
    failed: verdict.checks.find(({ ok }) => !ok)?.name ?? null,
  });
  return verdict;
}
const detailOf = ({ checks }: Verdict, step: string): string | undefined =>
  checks.find(({ name }) => name === step)?.detail;

describe('svc restore', { timeout: 120_000 }, () => {
  let second: Database;
  let third: Database;
  beforeAll(async () => {
    second = await emptyDatabase();
    third = await emptyDatabase();
  });
  afterAll(async () => {
    await second.drop();
    await third.drop();
  });

  it.each([
    ['no word of a checkpoint', 2, () => [], /^A restored log begins a new epoch/],
    [
      'both words',
      2,
      () => ['--without-checkpoint', '--checkpoint', 'x'],
      /^Give --checkpoint or --without-checkpoint/,
    ],
    ['an older checkpoint', 1, () => given('older', 3), /is older than the backup: it has 3 leaves/],
    ['one of another log', 1, () => given('foreign', 20, 'svc.local/log/7'), /is of svc\.local\/log\/7, and the log/],
    ['one that no key of the backup signed', 1, () => given('unsigned', 20), /was signed by no key of the backup/],
    ['a file that holds none', 1, () => ['--checkpoint', keep('none', 'nothing')], /is no checkpoint/],
    ['a file that is not there', 1, () => ['--checkpoint', join(folder, 'nosuch')], /nosuch/],
    ['an address that answers none', 1, () => ['--checkpoint', 'http://127.0.0.1:9/tlog'], /^No checkpoint comes from/],
  ])('refuses %s', async (_, code, options, reason) => {
    const { code: ended, said } = await run(second.url, 'second', [
      'restore',
      first.backup,
      ...options(),
      '--without-erasures',
    ]);
    expect([ended, said.error]).toEqual([code, expect.stringMatching(reason)]);
  });

  it('begins a new epoch that names the last known checkpoint, and places every leaf again', async () => {
    const server = createServer((_, response) => response.end(first.newest)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tlog/checkpoint`;
    const { code, said } = await run(second.url, 'second', [
      'restore',
      first.backup,
      '--checkpoint',
      address,
      '--without-erasures',
    ]);
    server.close();
    const log = {
      origin: 'svc.local/log/2',
      previous_origin: 'svc.local/log/1',
      restored_size: sizeOf(first.backedUp),
      last_known_size: sizeOf(first.newest),
    };
    expect([code, said.log]).toEqual([0, { ...log, last_known_from: address }]);

    const app = await openEvidence(second.url, { SVC_DATA_DIR: join(folder, 'second') });
    const [later] = await record(app, 1);
    const { origin, size } = parseCheckpoint(await checkpointOf(second));
    expect([origin, size]).toEqual(['svc.local/log/2', sizeOf(first.backedUp) + 2]);
    const before = await rowsOf<{ at: string }>(first.database, PLACES('leaf_index + 1', sizeOf(first.backedUp)));
    expect(await rowsOf(second, PLACES('leaf_index', sizeOf(first.backedUp) + 1))).toEqual(
      expect.arrayContaining(before),
    );
    const epochs = await rowsOf<{ record: Buffer }>(second, 'select record from log_epoch order by epoch');
    const { restored, lastKnown } = openEpoch(epochs[1]!.record);
    expect([restored, lastKnown]).toEqual([first.backedUp, first.newest]);

    const sound = await packOf(app, [...first.ids, later!], [first.backedUp, first.newest]);
    expect(sound.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(detailOf(sound, 'epoch')).toBe(
      `svc.local/log/2 follows svc.local/log/1, restored at ${sizeOf(first.backedUp)} leaves; at least 4 more leaves of it are lost`,
    );
    const audit = app.context.get(EvidenceAudit);
    expect([await audit.verifyChain([new ServerStatements()]), await audit.verifyLog()]).toMatchObject([
      { ok: true },
      { ok: true, examined: size },
    ]);
    await app.close();
  });

  it('leaves exports that follow a checkpoint of the epoch before', async () => {
    const env = { SVC_DATA_DIR: join(folder, 'second'), SVC_SIGNING_KEY_FILE: '' };
    const daemon = await startDaemon({ database: second as TestDatabase, env });
    try {
      const earlier = Buffer.from(first.newest).toString('base64url');
      const path = `/v1/replay/exports/receipts/${first.ids[0]}?tenant_id=acme&earlier_checkpoint=${earlier}`;
      const answer = await fetch(`${daemon.url}${path}`, {
        headers: { 'x-svc-scopes': 'exports:read receipts:read', 'x-svc-tenant-id': 'acme' },
      });
      const file = new Uint8Array(await answer.arrayBuffer());
      expect([answer.status, Buffer.from(file).toString().slice(0, 15)]).toEqual([200, '{"disclosures":']);
      const { ok, checks } = await verifyBundle(file, LIMITS);
      expect([ok, exports.judge(file)]).toEqual([true, expect.objectContaining({ ok: true, failed: null })]);
      expect(checks.find(({ name }) => name === 'consistency')?.detail).toContain('1 of the epoch before');
    } finally {
      await daemon.close();
    }
  });

  it('counts on: the kept checkpoints are found, and an epoch that is left out is missed', async () => {
    const backup = join(folder, 'second.tar.gz');
    expect((await run(second.url, 'second', ['backup', backup])).code).toBe(0);
    const kept = join(folder, 'second', 'checkpoints');
    const { code, said } = await run(third.url, 'third', ['restore', backup, '--without-erasures'], {
      SVC_CHECKPOINT_DIR: kept,
    });
    expect([code, said.log]).toMatchObject([0, { origin: 'svc.local/log/3', previous_origin: 'svc.local/log/2' }]);
    expect(said.log.last_known_from).toBe(join(kept, 'svc.local%2Flog%2F2', `${said.log.restored_size}.txt`));

    const app = await openEvidence(third.url, { SVC_DATA_DIR: join(folder, 'third') });
    await app.sequencer.integrate();
    expect((await packOf(app, first.ids, [await checkpointOf(second)])).ok).toBe(true);
    const skipping = await packOf(app, first.ids, [first.backedUp]);
    expect(detailOf(skipping, 'consistency')).toMatch(
      /^an epoch is missing between svc.local\/log\/1 and svc.local\/log\/3/,
    );
    expect(await app.context.get(EvidenceAudit).verifyLog()).toMatchObject({ ok: true, faults: [] });
    await rowsOf(third, `update log_epoch set restored_checkpoint = $1 where epoch = 2`, [
      signCheckpoint(
        'svc.local/log/1',
        { size: sizeOf(first.backedUp), root: readRoot(first.newest) },
        SigningKey.generate(),
      ),
    ]);
    expect((await app.context.get(EvidenceAudit).verifyLog()).faults).toEqual([
      `the leaves of svc.local/log/1 are not those that its checkpoint of ${sizeOf(first.backedUp)} leaves had`,
    ]);
    await app.close();
  });

  it('refuses a kept checkpoint of the same size with another root', async () => {
    const database = await emptyDatabase();
    const { size } = parseCheckpoint(first.backedUp);
    const key = logKeyOf('first');
    const other = signCheckpoint('svc.local/log/1', { size, root: new Uint8Array(32) }, key);
    const { said } = await run(database.url, 'fifth', [
      'restore',
      first.backup,
      '--checkpoint',
      keep('split', other),
      '--without-erasures',
    ]);
    expect(said.error).toContain('two logs under one name');
    await database.drop();
  });

  const PLACES = (index: string, below: number): string =>
    `select (${index})::text as at, encode(record_digest, 'hex') as digest from log_leaf where ${index} between 1 and ${below} order by 1`;
  const given = (name: string, size: number, origin = 'svc.local/log/1'): string[] => {
    const key = name === 'unsigned' ? SigningKey.generate() : logKeyOf('first');
    return ['--checkpoint', keep(name, signCheckpoint(origin, { size, root: new Uint8Array(32) }, key))];
  };
});

describe('a restored log that is put together again', () => {
  it('survives kill -9 in the middle, and begins one epoch', { timeout: 120_000 }, async () => {
    const many = await freshDatabase();
    const again = await emptyDatabase();
    const source = await openEvidence(many.url, { SVC_DATA_DIR: join(folder, 'many') });
    await rowsOf(
      many,
      `insert into log_pending (record_type, record_digest)
      select 'retrieval', sha256(n::text::bytea) from generate_series(1, 20000) n`,
    );
    await source.sequencer.integrate();
    const { size } = parseCheckpoint(await checkpointOf(many));
    await source.close();
    expect((await run(many.url, 'many', ['backup', join(folder, 'many.tar.gz')])).code).toBe(0);
    const restored = await run(again.url, 'again', [
      'restore',
      join(folder, 'many.tar.gz'),
      '--without-checkpoint',
      '--without-erasures',
    ]);
    expect([restored.code, restored.said.log.last_known_size]).toEqual([0, null]);

    const child = spawn(process.execPath, [
      join(import.meta.dirname, 'log-writer.child.mjs'),
      ...[again.url, 'writer', join(folder, 'again')],
    ]);
    const placed = async (): Promise<number> =>
      Number((await rowsOf<{ n: string }>(again, 'select coalesce(max(size), 0) as n from log_head'))[0]!.n);
    while ((await placed()) === 0) await sleep(5);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await placed()).toBeLessThan(size);

    const app = await openEvidence(again.url, { SVC_DATA_DIR: join(folder, 'again') });
    await app.sequencer.integrate();
    expect(await app.context.get(EvidenceAudit).verifyLog()).toMatchObject({ ok: true, faults: [] });
    expect(await rowsOf(again, 'select epoch, record is not null as begun from log_epoch order by 1')).toEqual([
      { epoch: 1, begun: true },
      { epoch: 2, begun: true },
    ]);
    expect(await rowsOf(again, `select count(*)::int as n from receipt where kind = 'log.epoch'`)).toEqual([{ n: 2 }]);
    await app.close();
    await many.drop();
    await again.drop();
  });
});

describe('a log of before there were epochs', () => {
  it('goes on under its origin, and is the first epoch once it is restored', { timeout: 120_000 }, async () => {
    const old = await freshDatabase();
    const next = await emptyDatabase();
    const before = await openEvidence(old.url, { SVC_DATA_DIR: join(folder, 'old'), SVC_LOG_ORIGIN: 'old.example' });
    await before.sequencer.integrate();
    await before.close();
    const key = logKeyOf('old');
    await rowsOf(old, `truncate log_epoch, log_leaf, log_tile, receipt, receipt_head`);
    const empty = signCheckpoint('old.example', { size: 0, root: emptyRoot() }, key);
    await rowsOf(old, 'update log_head set origin = $1, size = 0, root = $2, checkpoint = $3', [
      'old.example',
      Buffer.from(emptyRoot()),
      empty,
    ]);
    rmSync(join(folder, 'old', 'checkpoints'), { recursive: true });

    const app = await openEvidence(old.url, { SVC_DATA_DIR: join(folder, 'old') });
    const ids = await record(app, 3);
    const pack = await packOf(app, ids, [empty]);
    expect([pack.ok, detailOf(pack, 'checkpoint')]).toEqual([true, 'old.example, 3 leaves']);
    expect(detailOf(pack, 'epoch')).toBe('the log began before its first leaf named what it follows');
    const checkpoint = await checkpointOf(old);
    await app.close();

    const file = join(folder, 'old.tar.gz');
    expect((await run(old.url, 'old', ['backup', file])).code).toBe(0);
    const { said } = await run(next.url, 'next', [
      'restore',
      file,
      '--checkpoint',
      keep('of-old', checkpoint),
      '--without-erasures',
    ]);
    expect(said.log).toMatchObject({
      origin: 'old.example/2',
      previous_origin: 'old.example',
      last_known_size: 3,
    });
    const restored = await openEvidence(next.url, { SVC_DATA_DIR: join(folder, 'next') });
    await restored.sequencer.integrate();
    expect((await packOf(restored, ids, [checkpoint])).ok).toBe(true);
    expect(await restored.context.get(EvidenceAudit).verifyLog()).toMatchObject({ ok: true, examined: 4 });
    await restored.close();
    await old.drop();
    await next.drop();
  });
});

describe('leaves of tenants that were erased', () => {
  it('are accounted for in each later epoch of the log', { timeout: 120_000 }, async () => {
    const databases: Database[] = [await freshDatabase()];
    const settings = { SVC_DATA_DIR: join(folder, 'erased') };
    const app = await openEvidence(databases[0]!.url, settings);
    await record(app, 2);
    for (const tenant of ['gone', 'gone-before']) {
      await rowsOf(
        databases[0]!,
        `insert into tenant (tenant_id, tier, state, erase_after, erasure_began_at, erased_clearing)
         values ($1, 'free', 'deleted', now(), now(), 0)`,
        [tenant],
      );
      await app.tenancy.run(tenant, async () => {
        await app.evidence.recordMany([sampleEvent(1), sampleEvent(2)]);
        await app.evidence.record({ ...sampleEvent(3), kind: 'tenant.deleted', stream: 'tenant' });
      });
      await record(app, 1);
    }
    const erasure = new RecordErasureService(
      app.tenancy,
      app.context.get(CrossTenant),
      app.evidence,
      app.sequencer,
      app.context.get(KnownKeys),
      app.context.get<Settings>(SETTINGS),
    );
    await app.sequencer.integrate();
    const [at] = await rowsOf<{ first: number }>(databases[0]!, 'select size::int - 4 as first from log_head');
    await erasure.eraseSome('gone', 'receipt');
    // As an older version had it: the leaves, and no word of the log that has them.
    for (const table of ['receipt', 'receipt_head'])
      await rowsOf(databases[0]!, `delete from ${table} where tenant_id = 'gone-before' and stream <> 'tenant'`);
    await app.tenancy.run('gone-before', () =>
      app.evidence.record({
        ...{ ...sampleEvent(4), kind: RECORDS_ERASED, stream: 'tenant' },
        body: { records: 2, leaves: [[at!.first, 2]] },
      }),
    );
    await record(app, 1);
    const faultsOf = async (one: EvidenceApp) => (await one.context.get(EvidenceAudit).verifyChain()).faults;
    expect(await faultsOf(app)).toEqual([]);
    await app.close();

    for (const n of [1, 2]) {
      const backup = join(folder, `erased-${n}.tar.gz`);
      expect((await run(databases.at(-1)!.url, 'erased', ['backup', backup])).code).toBe(0);
      databases.push(await emptyDatabase());
      const words = ['--without-checkpoint', '--without-erasures'];
      expect((await run(databases[n]!.url, `erased-${n}`, ['restore', backup, ...words])).code).toBe(0);
      const restored = await openEvidence(databases[n]!.url, { SVC_DATA_DIR: join(folder, `erased-${n}`) });
      await restored.sequencer.integrate();
      expect(await faultsOf(restored)).toEqual([]);
      await restored.close();
    }
    for (const database of databases) await database.drop();
  });
});
