import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadSettings } from '../../../src/common/config/settings.js';
import { EvidenceAudit } from '../../../src/common/evidence/evidence-audit.js';
import { ProofPacks } from '../../../src/common/evidence/proof-packs.js';
import { rotateSigningKey } from '../../../src/common/evidence/rotate-signing-key.js';
import { verifyPack } from '../../../src/common/evidence/verify-pack.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { type EvidenceApp, happening, openEvidence } from './evidence-app.js';

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
    const before = await app.tenancy.run('acme', () => app.evidence.record(happening(1)));
    const settings = loadSettings({ SVC_DATA_DIR: app.dataDir });
    const rotated = await rotateSigningKey(settings, { ownerUrl: database.url });
    await vi.waitFor(() => expect(app.keys.active.kid).toBe(rotated.active));
    const after = await app.tenancy.run('acme', () => app.evidence.record(happening(2)));

    const file = await app.tenancy.run('acme', () =>
      app.context.get(ProofPacks).make({
        subject: { type: 'receipt', id: after.receiptId },
        receiptIds: [before.receiptId, after.receiptId],
        chunks: [],
      }),
    );
    const known = await app.keys.list();
    expect(known.map(({ key, notAfter }) => [key.kid, notAfter === null])).toEqual([
      [rotated.retired, false],
      [rotated.active, true],
    ]);
    expect(
      verifyPack(
        file,
        known.map(({ key, jwk }) => ({ key, ...jwk })),
      ).ok,
    ).toBe(true);
    const onlyNew = verifyPack(
      file,
      known.slice(1).map(({ key }) => ({ key })),
    );
    expect(onlyNew.checks.find((check) => !check.ok)).toEqual({
      name: 'keys',
      ok: false,
      detail: `key ${rotated.retired} is not among the trusted keys`,
    });
    expect((await app.context.get(EvidenceAudit).verifyChain()).ok).toBe(true);
    const [head] = await database.query<{ kid: string }>('select kid from log_head');
    expect(head?.kid).toBe(rotated.active);
    expect((await app.context.get(EvidenceAudit).verifyLog()).ok).toBe(true);
  });

  it('does not sign the same checkpoint again and again when hosts have keys of their own', async () => {
    const second = await openEvidence(database.url);
    try {
      await app.sequencer.integrate();
      const signed = () => database.query('select kid, signed_at from log_head');
      const before = await signed();
      await second.sequencer.integrate();
      await app.sequencer.integrate();
      expect(await signed()).toEqual(before);
    } finally {
      await second.close();
    }
  });
});
