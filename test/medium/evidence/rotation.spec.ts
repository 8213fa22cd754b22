import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { signingKeyCheck } from '../../../src/cli/doctor/signing-key-check.js';
import { loadSettings } from '../../../src/common/config/settings.js';
import { addEs256Key } from '../../../src/common/evidence-log/add-es256-key.js';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { createKeyFile, readKeyFile } from '../../../src/common/evidence-log/key-files.js';
import { KnownKeys } from '../../../src/common/evidence-log/known-keys.js';
import { examineNewest } from '../../../src/common/evidence-log/newest-evidence.js';
import { ProofPacks } from '../../../src/common/evidence-log/proof-packs.js';
import { rotateSigningKeys } from '../../../src/common/evidence-log/rotate-signing-key.js';
import { ServerStatements } from '../../../src/common/evidence-log/server-statements.js';
import { SigningKey } from '../../../src/evidence/signing-key.js';
import { verifyPack } from '../../../src/evidence/verify-pack.js';
import { CrossTenant } from '../../../src/common/tenancy/cross-tenant.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { type EvidenceApp, sampleEvent, openEvidence } from './evidence-app.js';

describe('rotation of the signing key', () => {
  let database: TestDatabase;
  let app: EvidenceApp;

  beforeAll(async () => {
    database = await freshDatabase();
    app = await openEvidence(database.url);
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  it('keeps the key in the data directory, readable by its owner alone', () => {
    const file = statSync(join(app.dataDir, 'keys', 'signing-key.pem'));
    const folder = statSync(join(app.dataDir, 'keys'));
    expect([file.mode & 0o777, folder.mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it('reaches a running process, and what the old key signed stays verifiable', async () => {
    const before = await app.tenancy.run('acme', () => app.evidence.record(sampleEvent(1)));
    const settings = loadSettings({ SVC_DATA_DIR: app.dataDir });
    const rotated = await rotateSigningKeys(settings, { ownerUrl: database.url });
    await vi.waitFor(() => expect(app.keys.active.kid).toBe(rotated.active.receipts));
    const after = await app.tenancy.run('acme', () => app.evidence.record(sampleEvent(2)));

    const file = await app.tenancy.run('acme', () =>
      app.context.get(ProofPacks).make({
        subject: { type: 'receipt', id: after.receiptId },
        receiptIds: [before.receiptId, after.receiptId],
        chunks: [],
      }),
    );
    const known = await app.keys.list();
    expect(
      known
        .filter(({ notAfter }) => notAfter === null)
        .map(({ key }) => key.kid)
        .sort(),
    ).toEqual(Object.values(rotated.active).sort());
    expect(known.flatMap(({ key, notAfter }) => (notAfter ? key.kid : [])).sort()).toEqual([...rotated.retired].sort());
    const [first, ...others] = known.map(({ key }) => ({ key }));
    expect(verifyPack(file, [first!]).checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(verifyPack(file, others).checks.find((check) => !check.ok)).toMatchObject({
      name: 'keys',
      detail: expect.stringContaining(first!.key.kid),
    });
    expect((await app.context.get(EvidenceAudit).verifyChain()).ok).toBe(true);
    const [head] = await database.query<{ kid: string }>('select kid from log_head');
    expect(head?.kid).toBe(rotated.active.log);
    expect((await app.context.get(EvidenceAudit).verifyLog()).ok).toBe(true);
  });

  it.each([
    [
      'a key that was rotated out',
      'signing_key',
      'not_after is not null',
      /^signing key \S+, receipt .*: its row is gone$/,
    ],
    ['a key in use', 'signing_key', 'not_after is null', /^signing key \S+, receipt .*: its row is gone$/],
    ['a key on P-256', 'es256_key', 'true', /^signing key \S+, receipt .*: its row is gone$/],
    ['an epoch of the log', 'log_epoch', 'true', /^epoch \S+\/1 of the log, receipt .*: its row is gone$/],
  ])('whose row is deleted is found: %s', async (_what, table, where, fault) => {
    const checks = [new ServerStatements()];
    const audit = async () => (await app.context.get(EvidenceAudit).verifyChain(checks)).faults;
    await addEs256Key(loadSettings({ SVC_DATA_DIR: app.dataDir }), { ownerUrl: database.url }, 0);
    await app.sequencer.integrate();
    expect(await audit()).toEqual([]);
    const client = new Client({ connectionString: database.superuserUrl });
    await client.connect();
    await client.query(
      `set session_replication_role = replica; create table kept as select * from ${table} where ${where}`,
    );
    await client.query(`delete from ${table} where ${where}`);
    expect(await audit()).toContainEqual(expect.stringMatching(fault));
    const newest = await app.context
      .get(CrossTenant)
      .run('test', (query) => examineNewest(query, { checks, keys: app.context.get(KnownKeys) }));
    expect(newest.faults).toContainEqual(
      expect.objectContaining({ check: 'statements', detail: expect.stringMatching(fault) }),
    );
    await client.query(`insert into ${table} select * from kept; drop table kept`);
    await client.end();
    expect(await audit()).toEqual([]);
  });

  it('is not joined by a second key when another data directory starts on the database', async () => {
    const keys = () => database.query('select kid from signing_key order by kid');
    const before = await keys();
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-other-'));
    const { active } = app.keys;
    const refusal = new RegExp(`SVC_SIGNING_KEY_FILE.*signed with ${active.kid}.*does not exist.*Copy the key file`);
    try {
      for (const NODE_ENV of ['test', 'development'])
        await expect(openEvidence(database.url, { NODE_ENV, SVC_DATA_DIR: dataDir })).rejects.toThrow(refusal);
      expect([await keys(), existsSync(join(dataDir, 'keys'))]).toEqual([before, false]);
      const own = join(dataDir, 'own.pem');
      const { kid } = createKeyFile(own);
      await expect(
        openEvidence(database.url, { SVC_DATA_DIR: dataDir, SVC_SIGNING_KEY_FILE: own, SVC_LOG_LEVEL: 'silent' }),
      ).rejects.toThrow(new RegExp(`signed with ${active.kid}.*holds ${kid}`));
      const missing = { SVC_DATA_DIR: dataDir, SVC_SIGNING_KEY_FILE: join(dataDir, 'none.pem') };
      await expect(openEvidence(database.url, missing)).rejects.toThrow(/svc key create-signing .*none\.pem/);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe('rotation of the signing key of a fleet', () => {
  let database: TestDatabase;
  let folder: string;
  /** Each machine has a copy of the key in a file of its own. */
  let files: string[];
  let fleet: EvidenceApp[];

  beforeAll(async () => {
    database = await freshDatabase();
    folder = mkdtempSync(join(tmpdir(), 'svc-fleet-'));
    files = [0, 1].map((n) => join(folder, `machine-${n}.pem`));
    createKeyFile(files[0]!);
    copyFileSync(files[0]!, files[1]!);
    fleet = [];
    for (const file of files) fleet.push(await openEvidence(database.url, { SVC_SIGNING_KEY_FILE: file }));
  });
  afterAll(async () => {
    for (const app of fleet) await app.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const settingsOf = (file: string) => loadSettings({ SVC_SIGNING_KEY_FILE: file });
  const rotate = (file: string, overlap?: number) =>
    rotateSigningKeys(settingsOf(file), { ownerUrl: database.url }, overlap ? { overlapSeconds: overlap } : {});
  const record = (app: EvidenceApp, n: number) => app.tenancy.run('acme', () => app.evidence.record(sampleEvent(n)));
  const faultOf = (app: EvidenceApp) =>
    app.context.get(CrossTenant).run('readiness', (query) => app.keys.findFault(query));

  it('reaches every process whose file was replaced before it, without a restart', async () => {
    const fresh = join(folder, 'fresh.pem');
    const { kid } = createKeyFile(fresh, readKeyFile(files[0]!));
    for (const file of files) copyFileSync(fresh, file);
    const before = fleet[0]!.keys.active.kid;
    const { retired, active } = await rotate(files[0]!, 1);
    expect([retired.length, retired.includes(before), active.receipts]).toEqual([3, true, kid]);
    for (const app of fleet) await vi.waitFor(() => expect(app.keys.active.kid).toBe(kid));
  });

  it('stops a process that still has the old key from signing, and says so', async () => {
    const [rotated, behind] = fleet as [EvidenceApp, EvidenceApp];
    const { active, retired } = await rotate(files[0]!, 1);
    expect(retired).toContain(behind.keys.active.kid);
    await vi.waitFor(() => expect(rotated.keys.active.kid).toBe(active.receipts));
    await vi.waitFor(() => expect(behind.keys.hasEnded).toBe(true), 10_000);
    await expect(record(behind, 1)).rejects.toThrow(/rotated out; put the key file that signs now in its place/);
    expect(await faultOf(behind)).toContain('rotated out');
    expect(await faultOf(rotated)).toBeUndefined();
    // The others go on, and the log is signed by them alone.
    await record(rotated, 2);
    await rotated.sequencer.integrate();
    expect(await database.query('select kid from log_head')).toEqual([{ kid: active.log }]);
    await expect(openEvidence(database.url, { SVC_SIGNING_KEY_FILE: files[1]! })).rejects.toThrow(
      new RegExp(`signed with ${active.receipts}`),
    );
    await expect(rotate(files[1]!)).rejects.toThrow(/was rotated out/);
  });

  it('names a row to which no chain leads, and gives it to nobody', async () => {
    const stray = SigningKey.generate();
    const [app] = fleet as [EvidenceApp];
    const check = () =>
      signingKeyCheck(settingsOf(files[0]!), async <Row>(sql: string, parameters?: unknown[]) => {
        const rows = await database.query(sql, parameters);
        return rows as Row[];
      }).run();
    expect(await check()).toContain(`in use are receipts ${app.keys.active.kid}`);
    await database.query(`insert into signing_key (kid, public_key, not_before) values ($1, $2, '2020-01-01')`, [
      stray.kid,
      Buffer.from(stray.publicKey.bytes),
    ]);
    await expect(check()).rejects.toThrow(`no chain leads from the first key to ${stray.kid}`);
    expect((await app.keys.list()).map(({ key }) => key.kid)).not.toContain(stray.kid);
    // Nor does a rotation, or a start, take it over.
    await rotate(files[0]!);
    const other = await openEvidence(database.url, { SVC_SIGNING_KEY_FILE: files[0]! });
    expect((await other.keys.list()).map(({ key }) => key.kid)).not.toContain(stray.kid);
    await other.close();
  });
});
