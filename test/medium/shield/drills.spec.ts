import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { drill } from './given.js';

let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
});
afterAll(() => api.close());

const KINDS = ['kill_switch', 'revoked_digest', 'approval_replay', 'expired_approval', 'receipt_tampering'];

/** Those that every process must follow within a second. */
const CHANGES = new Set(['kill_switch', 'revoked_digest']);

describe('an incident drill', () => {
  it.each(KINDS)('%s passes, and measures what it says', async (kind) => {
    const before = (await acme.call('GET', '/v1/shield/capabilities')).body;
    const done = await drill(acme, kind);
    expect(done).toEqual({
      drillId: expect.any(String),
      kind,
      reason: 'Tuesday',
      status: 'completed',
      requestedBy: `key:${acme.keyId}`,
      requestedAt: expect.any(String),
      startedAt: expect.any(String),
      completedAt: expect.any(String),
      detected: true,
      detectionMs: expect.any(Number),
      recoveryMs: expect.any(Number),
      // On a machine that is busy with other things late is an honest result.
      passed: !CHANGES.has(kind) || done.detectionMs <= 1000,
      steps: expect.any(Array),
      error: null,
    });
    expect(done.detectionMs).toBeGreaterThan(0);
    const times = done.steps.map(({ atMs }: any) => atMs);
    expect(times).toEqual(times.toSorted((a: number, b: number) => a - b));
    // It changed nothing for anyone: no switch, pin, approval or policy of it is left.
    expect((await acme.call('GET', '/v1/shield/capabilities')).body).toEqual(before);
    const left = await api.database.query(
      `select 1 from shield_kill_switch union all select 1 from shield_digest union all select 1 from shield_approval`,
    );
    expect(left).toEqual([]);
  });
});
