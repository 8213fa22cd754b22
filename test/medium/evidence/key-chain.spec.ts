import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadSettings } from '../../../src/common/config/settings.js';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { ServerStatements } from '../../../src/common/evidence-log/server-statements.js';
import { createKeyFile, readKeyFile } from '../../../src/common/evidence-log/key-files.js';
import { KnownKeys } from '../../../src/common/evidence-log/known-keys.js';
import { ProofPacks } from '../../../src/common/evidence-log/proof-packs.js';
import { rotateSigningKeys, type RotationOptions } from '../../../src/common/evidence-log/rotate-signing-key.js';
import { CrossTenant } from '../../../src/common/tenancy/cross-tenant.js';
import { parseCheckpoint, verifyCheckpoint } from '../../../src/evidence/checkpoint.js';
import type { ProofPack } from '../../../src/evidence/pack-format.js';
import { SigningKey, type VerifyingKey } from '../../../src/evidence/signing-key.js';
import { verifyPack } from '../../../src/evidence/verify-pack.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { type EvidenceApp, openEvidence, sampleEvent } from './evidence-app.js';

const packOf = async (app: EvidenceApp, n: number): Promise<Uint8Array> => {
  const { receiptId } = await app.tenancy.run('acme', () => app.evidence.record(sampleEvent(n)));
  return app.tenancy.run('acme', () =>
    app.context
      .get(ProofPacks)
      .make({ subject: { type: 'receipt', id: receiptId }, receiptIds: [receiptId], chunks: [] }),
  );
};
const failing = (file: Uint8Array, key: VerifyingKey) => verifyPack(file, [{ key }]).checks.filter(({ ok }) => !ok);
const verifiesWith = (note: string, key: VerifyingKey) => verifyCheckpoint(parseCheckpoint(note), key);
const isSound = async (app: EvidenceApp): Promise<boolean> => {
  const audit = app.context.get(EvidenceAudit);
  const [chain, log] = [await audit.verifyChain([new ServerStatements()]), await audit.verifyLog()];
  expect([...chain.faults, ...log.faults]).toEqual([]);
  return chain.ok && log.ok;
};
const unchainedOf = (app: EvidenceApp) =>
  app.context.get(CrossTenant).run('test', async (query) => (await app.context.get(KnownKeys).view(query)).unchained);

describe('a client that has pinned the first key', () => {
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
  const rotate = async (options: RotationOptions) => {
    const settings = loadSettings({ SVC_DATA_DIR: app.dataDir });
    const rotation = await rotateSigningKeys(settings, { ownerUrl: database.url }, options);
    await vi.waitFor(() => expect(app.keys.logSigners[0].kid).toBe(rotation.active.log));
    await vi.waitFor(() => expect(app.keys.active.kid).toBe(rotation.active.receipts));
    return rotation;
  };

  it('verifies packs from before, during and after rotations, and checkpoints by the log key it has', async () => {
    const first = app.keys.active.publicKey;
    const [log] = app.keys.logSigners;
    const packs = [await packOf(app, 1)];
    await rotate({ overlapSeconds: 3 });
    packs.push(await packOf(app, 2));
    const during = (JSON.parse(Buffer.from(packs[1]!).toString()) as ProofPack).checkpoint;
    expect(parseCheckpoint(during).note.signatures).toHaveLength(2);
    expect([app.keys.logSigners[0].publicKey, log.publicKey].map((key) => verifiesWith(during, key))).toEqual([
      true,
      true,
    ]);
    await vi.waitFor(() => expect(app.keys.logSigners).toHaveLength(1), 10_000);
    packs.push(await packOf(app, 3));
    const after = (JSON.parse(Buffer.from(packs[2]!).toString()) as ProofPack).checkpoint;
    expect([app.keys.logSigners[0].publicKey, log.publicKey].map((key) => verifiesWith(after, key))).toEqual([
      true,
      false,
    ]);
    const { retired } = await rotate({ purposes: ['exports'], overlapSeconds: 1 });
    expect(retired).toHaveLength(1);
    packs.push(await packOf(app, 4));
    for (const file of packs) expect(failing(file, first)).toEqual([]);
    expect(failing(packs[3]!, app.keys.active.publicKey).map(({ name }) => name)).toContain('keys');
    expect(await isSound(app)).toBe(true);
  });

  it('sees a new chain as one of somebody else, which has taken over the old keys', async () => {
    const first = (await app.keys.list())[0]!.key;
    const old = await packOf(app, 5);
    await rotate({ newChain: true });
    const fresh = await packOf(app, 6);
    expect(failing(fresh, first).map(({ name }) => name)).toContain('keys');
    expect([failing(fresh, app.keys.active.publicKey), failing(old, first)]).toEqual([[], []]);
    expect([await unchainedOf(app), await isSound(app)]).toEqual([[], true]);
    // The next start goes by the new one too.
    const again = await openEvidence(database.url, { SVC_DATA_DIR: app.dataDir });
    expect(again.keys.active.kid).toBe(app.keys.active.kid);
    await again.close();
  });
});

/** As it was before there were chains: keys in the table, without statements, and a file of one key. */
describe('an installation of before chains', () => {
  let database: TestDatabase;
  let dataDir: string;
  const [key, old] = [SigningKey.generate(), SigningKey.generate()];
  beforeAll(async () => {
    database = await freshDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'svc-before-'));
    await plant(old, `'2025-01-01'`, `'2026-01-01'`);
    await plant(key, `'2026-01-01'`, 'null');
  });
  afterAll(async () => {
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const plant = (one: SigningKey, from: string, until: string) =>
    database.query(
      `insert into signing_key (kid, public_key, not_before, not_after) values ($1, $2, ${from}, ${until})`,
      [one.kid, Buffer.from(one.publicKey.bytes)],
    );

  it('begins its chain with the key in use, which takes over the others once', async () => {
    const file = join(dataDir, 'own.pem');
    writeFileSync(file, key.toPem(), { mode: 0o600 });
    const env = { SVC_DATA_DIR: dataDir, SVC_SIGNING_KEY_FILE: file };
    const app = await openEvidence(database.url, env);
    expect((await app.keys.list()).map((one) => one.key.kid)).toEqual([old.kid, key.kid]);
    expect([app.keys.active.kid, app.keys.forExports.kid, app.keys.logSigners[0].kid]).toEqual([
      key.kid,
      key.kid,
      key.kid,
    ]);
    expect(readFileSync(file, 'utf8')).toBe(key.toPem());
    expect([failing(await packOf(app, 1), key.publicKey), await isSound(app)]).toEqual([[], true]);
    await app.close();
    const stray = SigningKey.generate();
    await plant(stray, `'2020-01-01'`, 'null');
    for (const forget of [false, true]) {
      // Another machine has the file, and no first key in its data directory.
      if (forget) rmSync(join(dataDir, 'keys'), { recursive: true });
      const again = await openEvidence(database.url, env);
      expect([await unchainedOf(again), (await again.keys.list()).length]).toEqual([[stray.kid], 2]);
      await again.close();
    }
  });

  it('gives the file of its data directory keys for the log and for exports', async () => {
    const file = join(dataDir, 'keys', 'signing-key.pem');
    writeFileSync(file, key.toPem(), { mode: 0o600 });
    const app = await openEvidence(database.url, { SVC_DATA_DIR: dataDir, SVC_SIGNING_KEY_FILE: '' });
    const [log, ...others] = app.keys.logSigners;
    expect(new Set([app.keys.active, log, app.keys.forExports].map(({ kid }) => kid)).size).toBe(3);
    // Who has pinned the one key for the log still verifies its checkpoints for a while.
    expect([app.keys.active.kid, others.map(({ kid }) => kid)]).toEqual([key.kid, [key.kid]]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { first, keys } = readKeyFile(file);
    expect([first?.kid, keys.map(({ purpose }) => purpose)]).toEqual([key.kid, ['receipts', 'log', 'exports']]);
    expect([failing(await packOf(app, 2), key.publicKey), await isSound(app)]).toEqual([[], true]);
    await app.close();
  });
});

describe('a key file', () => {
  it('of another chain is refused, with the way out', async () => {
    const database = await freshDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'svc-keys-'));
    const [own, next] = [join(folder, 'own.pem'), join(folder, 'next.pem')];
    const { kid } = createKeyFile(own);
    expect(createKeyFile(next, readKeyFile(own)).kid).not.toBe(kid);
    const env = { SVC_DATA_DIR: folder, SVC_SIGNING_KEY_FILE: next };
    await expect(openEvidence(database.url, env)).rejects.toThrow(
      new RegExp(`continue the chain of ${kid}, which this database does not have.*svc key create-signing`),
    );
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });
});
