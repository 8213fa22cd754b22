import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { keysEntry } from '../../../src/cli/archive/key-archive.js';
import { signingKeyCheck } from '../../../src/cli/doctor/signing-key-check.js';
import { addEs256Key } from '../../../src/common/evidence-log/add-es256-key.js';
import { loadSettings, type Settings } from '../../../src/common/config/settings.js';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { EvidenceRecords } from '../../../src/common/evidence-log/evidence-records.js';
import { createKeyFile, readKeyFile } from '../../../src/common/evidence-log/key-files.js';
import { readFirstKey, readKeyRows } from '../../../src/common/evidence-log/known-keys.js';
import { ProofPacks } from '../../../src/common/evidence-log/proof-packs.js';
import { publishedKeys } from '../../../src/common/evidence-log/published-keys.js';
import { ReceiptForms } from '../../../src/common/evidence-log/receipt-forms.js';
import { rotateSigningKeys, type RotationOptions } from '../../../src/common/evidence-log/rotate-signing-key.js';
import { CrossTenant, type Query } from '../../../src/common/tenancy/cross-tenant.js';
import { parseCheckpoint } from '../../../src/evidence/checkpoint.js';
import { verifyForm } from '../../../src/evidence/forms/verify-form.js';
import type { ProofPack } from '../../../src/evidence/pack-format.js';
import type { VerifyingKey } from '../../../src/evidence/signing-key.js';
import { parseTrustedKeys } from '../../../src/evidence/trusted-keys.js';
import { verifyPack } from '../../../src/evidence/verify-pack.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { canRunSigner, type SignerFault, startSigner, type TestSigner } from '../../kit/signer.js';
import { type EvidenceApp, openEvidence, sampleEvent } from './evidence-app.js';

const WAIT = { timeout: 30_000 };

const record = async (app: EvidenceApp, n: number): Promise<string> =>
  (await app.tenancy.run('acme', () => app.evidence.record(sampleEvent(n)))).receiptId;
const packOf = async (app: EvidenceApp, ...receiptIds: string[]): Promise<Uint8Array> =>
  app.tenancy.run('acme', () =>
    app.context.get(ProofPacks).make({ subject: { type: 'receipt', id: receiptIds[0]! }, receiptIds, chunks: [] }),
  );
const failing = (file: Uint8Array, key: VerifyingKey) => verifyPack(file, [{ key }]).checks.filter(({ ok }) => !ok);
const asOperator = <T>(app: EvidenceApp, work: (query: Query) => Promise<T>): Promise<T> =>
  app.context.get(CrossTenant).run('test', work);
const doctorOf = (app: EvidenceApp, settings: Settings): Promise<string> =>
  asOperator(app, (query) => signingKeyCheck(settings, query).run());
const textsUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));

describe.skipIf(!canRunSigner)('keys that are with a signer outside', () => {
  let database: TestDatabase;
  let signer: TestSigner;
  let app: EvidenceApp;
  let settings: Settings;
  beforeAll(async () => {
    database = await freshDatabase();
    signer = await startSigner();
    app = await openEvidence(database.url, signer.env);
    settings = loadSettings({ SVC_DATA_DIR: app.dataDir, ...signer.env });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await signer.close();
    await database.drop();
  });
  const rotate = (options: RotationOptions = {}) => rotateSigningKeys(settings, { ownerUrl: database.url }, options);

  it('sign receipts, log and packs, and no private key is in the data directory or the backup', async () => {
    const ids = await app.tenancy.run('acme', () => app.evidence.recordMany([1, 2, 3].map((n) => sampleEvent(n))));
    const pin = await asOperator(app, async (query) => readFirstKey(settings, await readKeyRows(query)));
    const pack = await packOf(app, ...ids.map(({ receiptId }) => receiptId));
    expect(failing(pack, pin!)).toEqual([]);
    expect(new Set([app.keys.active, app.keys.forExports, app.keys.logSigners[0]].map(({ kid }) => kid)).size).toBe(3);
    const texts = textsUnder(app.dataDir);
    expect(texts.filter((text) => text.includes('PUBLIC KEY'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('PRIVATE KEY'))).toEqual([]);
    await expect(keysEntry(settings, 'a passphrase')).rejects.toThrow('with the signer of SVC_SIGNER_URL');
    expect(await doctorOf(app, settings)).toContain(`with the signer ${signer.env.SVC_SIGNER_URL}`);
  });

  it('are rotated to those that were made there, by name and with an overlap', async () => {
    const first = app.keys.active.publicKey;
    await expect(rotate()).rejects.toThrow('has no key for receipts that the database does not know');
    const old = [await record(app, 4), app.keys.logSigners[0].kid] as const;
    for (const purpose of ['receipts', 'log', 'exports']) signer.makeKey(purpose, '2');
    const { active, retired } = await rotate({ overlapSeconds: 3600 });
    expect(retired).toHaveLength(3);
    await vi.waitFor(() => expect(app.keys.active.kid).toBe(active.receipts), WAIT);
    const pack = await packOf(app, old[0], await record(app, 5));
    expect(failing(pack, first)).toEqual([]);
    const { checkpoint } = JSON.parse(Buffer.from(pack).toString()) as ProofPack;
    expect(parseCheckpoint(checkpoint).note.signatures).toHaveLength(2);
    expect(app.keys.logSigners.map(({ kid }) => kid)).toEqual([active.log, old[1]]);
    expect((await app.context.get(EvidenceAudit).verifyChain()).ok).toBe(true);
    expect(textsUnder(app.dataDir).filter((text) => text.includes('PRIVATE KEY'))).toEqual([]);
  });

  it('sign COSE receipts in ES256 by a key on P-256 that the signer has', async () => {
    const add = () => addEs256Key(settings, { ownerUrl: database.url }, 60);
    await expect(add()).rejects.toThrow('has no key for ES256');
    signer.makeKey('es256', '1');
    const { kid } = await add();
    await vi.waitFor(async () => expect((await app.keys.findEs256())?.kid).toBe(kid), WAIT);
    const id = await record(app, 6);
    const stored = await app.tenancy.run('acme', () => app.context.get(EvidenceRecords).find(id));
    const file = await app.context.get(ReceiptForms).make(stored!, 'cose-receipt', 'es256');
    const trusted = parseTrustedKeys(JSON.stringify({ keys: publishedKeys(await app.keys.view()) }));
    expect(verifyForm(file, trusted)).toMatchObject({ ok: true, kids: [kid] });
  });

  it('stop the start where the signer is away, takes another token or has other keys', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-signer-start-'));
    const other = await startSigner();
    const start = (env: Record<string, string>) => openEvidence(database.url, { SVC_DATA_DIR: dataDir, ...env });
    try {
      await expect(start(other.env)).rejects.toThrow(/SVC_SIGNER_URL: this database is signed with .*, and the signer/);
      const token = join(dataDir, 'token');
      writeFileSync(token, 'another');
      await expect(start({ ...signer.env, SVC_SIGNER_TOKEN_FILE: token })).rejects.toThrow(/it answered 401 .*token/);
      await other.stop();
      await expect(start(other.env)).rejects.toThrow(/cannot use the signer unix:.*(ECONNREFUSED|ENOENT)/);
    } finally {
      await other.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe.skipIf(!canRunSigner)('keys that move from a file to a signer', () => {
  it('are named by those of the file, which is then removed', async () => {
    const [database, signer] = [await freshDatabase(), await startSigner()];
    const folder = mkdtempSync(join(tmpdir(), 'svc-signer-move-'));
    const file = join(folder, 'keys.pem');
    createKeyFile(file);
    const env = { SVC_DATA_DIR: folder, SVC_SIGNING_KEY_FILE: file };
    try {
      const before = await openEvidence(database.url, env);
      const first = before.keys.active.publicKey;
      const old = await record(before, 1);
      await before.close();
      const both = loadSettings({ ...env, ...signer.env });
      const { active } = await rotateSigningKeys(both, { ownerUrl: database.url }, { overlapSeconds: 1 });
      expect(readKeyFile(file).keys.map(({ key }) => key.kid)).not.toContain(active.receipts);
      rmSync(file);
      const after = await openEvidence(database.url, { SVC_DATA_DIR: folder, ...signer.env });
      expect(after.keys.active.kid).toBe(active.receipts);
      expect(failing(await packOf(after, old, await record(after, 2)), first)).toEqual([]);
      await after.close();
    } finally {
      await signer.close();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);
});

describe.skipIf(!canRunSigner)('a signer that fails', () => {
  let database: TestDatabase;
  let signer: TestSigner;
  let app: EvidenceApp;
  let settings: Settings;
  beforeAll(async () => {
    database = await freshDatabase();
    signer = await startSigner();
    app = await openEvidence(database.url, { ...signer.spoiledEnv, SVC_LOG_LEVEL: 'silent' });
    settings = loadSettings({ SVC_DATA_DIR: app.dataDir, ...signer.spoiledEnv });
  }, 60_000);
  afterEach(async () => {
    signer.fault = 'none';
    await signer.stop();
    await signer.start();
  });
  afterAll(async () => {
    await app.close();
    await signer.close();
    await database.drop();
  });
  const receipts = () =>
    database.query<{ receipt_id: string; seq: string }>(
      "select receipt_id, seq from receipt where tenant_id = 'acme' order by seq",
    );

  const expectClosed = async (reason: RegExp): Promise<void> => {
    const before = await receipts();
    await expect(record(app, 1)).rejects.toThrow(reason);
    expect(await receipts()).toEqual(before);
    expect(await asOperator(app, (query) => app.keys.findFault(query))).toMatch(reason);
    await expect(doctorOf(app, settings)).rejects.toThrow(reason);
  };

  it.each<[SignerFault, RegExp]>([
    ['wrong signature', /The signer does not sign: its signature does not hold under the key/],
    ['too few', /The signer does not sign: it answered another number of signatures/],
    ['refuses', /The signer does not sign: it answered 403 the key is locked/],
    ['no JSON', /The signer does not sign: its answer is not JSON/],
    ['slow', /The signer does not sign: it took longer than 2000 ms/],
  ])('%s: writes nothing, says so, and goes on in the same chain afterwards', async (fault, reason) => {
    await record(app, 0);
    signer.fault = fault;
    await expectClosed(reason);
    signer.fault = 'none';
    const next = await record(app, 2);
    const [last, before] = (await receipts()).reverse();
    expect([last!.receipt_id, Number(last!.seq)]).toEqual([next, Number(before!.seq) + 1]);
    expect(await asOperator(app, (query) => app.keys.findFault(query))).toBeUndefined();
  });

  it('away: writes nothing, and goes on when it is back', async () => {
    await signer.stop();
    const before = await receipts();
    await expect(record(app, 1)).rejects.toThrow(/The signer does not sign: it answered 502/);
    expect(await receipts()).toEqual(before);
    await signer.start();
    await record(app, 2);
    expect((await app.context.get(EvidenceAudit).verifyChain()).ok).toBe(true);
  });

  it('is asked once for the receipts of one unit of work', async () => {
    await app.sequencer.integrate();
    const before = signer.asked;
    const made = await app.tenancy.run('acme', async () => {
      const events = Array.from({ length: 20 }, (_, n) => sampleEvent(n));
      const recorded = await app.evidence.recordMany(events);
      return { recorded, asked: signer.asked };
    });
    expect([made.recorded.length, made.asked - before]).toEqual([20, 1]);
  });
});

describe.skipIf(!canRunSigner)('a daemon whose signer fails', () => {
  let signer: TestSigner;
  let daemon: TestDaemon;
  beforeAll(async () => {
    signer = await startSigner();
    daemon = await startDaemon({ env: { ...signer.spoiledEnv, SVC_SIGNING_KEY_FILE: '' } });
  }, 60_000);
  afterAll(async () => {
    await daemon.close();
    await signer.close();
  });

  it('acknowledges no fact, and is not ready', async () => {
    const put = (key: string) => daemon.call('PUT', '/v1/facts', { entity: 'user:1', key, value: 'x' });
    expect((await put('kept')).status).toBe(201);
    signer.fault = 'wrong signature';
    expect((await put('lost')).status).toBe(503);
    const ready = await daemon.call('GET', '/readyz');
    expect([ready.status, JSON.stringify(ready.body)]).toEqual([
      503,
      expect.stringContaining('The signer does not sign'),
    ]);
    signer.fault = 'none';
    const { body: entity } = await daemon.call('GET', '/v1/facts/entity/user%3A1');
    expect(entity.facts.map(({ key }: { key: string }) => key)).toEqual(['kept']);
    expect((await put('after')).status).toBe(201);
  });
});
