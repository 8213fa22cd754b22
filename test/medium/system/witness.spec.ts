import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCheckpoint, verifyCheckpoint } from '../../../src/evidence/checkpoint.js';
import { EvidenceService } from '../../../src/common/evidence-log/evidence.service.js';
import { KeyRing } from '../../../src/common/evidence-log/key-ring.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_ROUTE_AUTH: 'enforce' } });
});
afterAll(() => daemon.close());

const smoke = () => send(daemon.url, 'GET', '/v1/witness/smoke');
const happen = (subject: string) =>
  daemon.app.get(Tenancy).run('default', async () => {
    const event = { kind: 'test.happened', actor: 'sub:test', subject, body: { subject }, authMode: 'off' };
    return daemon.app.get(EvidenceService, { strict: false }).record(event);
  });
const logUntilNow = () => daemon.app.get(LogSequencer, { strict: false }).integrate();

/** What the body says of its checks. */
const failing = (body: any) => body.checks.filter(({ ok }: any) => !ok).map(({ name }: any) => name);

describe('GET /v1/witness/smoke', () => {
  it('checks the newest checkpoint and that the log only grew', async () => {
    for (const subject of ['a', 'b', 'c']) await happen(subject);
    await logUntilNow();
    const [row] = await daemon.database.query<{ count: string }>('select count(*) from receipt');
    // Three, and those of the server itself.
    const size = Number(row?.count);
    await expect.poll(async () => (await smoke()).body.log?.size, { timeout: 5_000 }).toBe(size);
    const { status, body } = await smoke();
    expect([status, body.ok, failing(body)]).toEqual([200, true, []]);
    expect(body.consistency).toMatchObject({ to: size });
    const checkpoint = parseCheckpoint(body.log.checkpoint);
    expect(checkpoint).toMatchObject({ origin: body.log.origin, size });
    const keys = await daemon.app.get(KeyRing, { strict: false }).list();
    expect(keys.some(({ key }) => key.kid === body.log.kid && verifyCheckpoint(checkpoint, key))).toBe(true);
  });

  it('gives a proof from where another process first saw it', async () => {
    const second = await startDaemon({ database: daemon.database, env: { SVC_DATA_DIR: daemon.dataDir } });
    try {
      await happen('d');
      await logUntilNow();
      const { body } = await send(second.url, 'GET', '/v1/witness/smoke');
      const { from, to } = body.consistency;
      expect([body.ok, from > 0, to]).toEqual([true, true, from + 1]);
      expect(body.consistency.path.length).toBeGreaterThan(0);
    } finally {
      await second.close();
    }
  });

  it('answers 503 with what fails when the log was tampered with', async () => {
    await daemon.database.query(`update log_tile set hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1)`);
    await expect.poll(async () => (await smoke()).status, { timeout: 5_000 }).toBe(503);
    expect(failing((await smoke()).body)).toContain('checkpoint_root');
    await daemon.database.query(`update log_tile set hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1)`);
    await expect.poll(async () => (await smoke()).status, { timeout: 5_000 }).toBe(200);
  });
});
