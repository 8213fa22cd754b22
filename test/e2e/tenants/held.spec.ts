import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { SvcCommand } from './given.js';

let daemon: TestDaemon;
let svc: SvcCommand;
beforeAll(async () => {
  daemon = await startDaemon({ tenants: ['held'], env: { SVCD_FEATURE_LEGAL_HOLD: '1' } });
  svc = new SvcCommand(daemon.database);
}, 120_000);
afterAll(async () => {
  await daemon.close();
  svc.remove();
});

it(
  'a tenant with a legal hold is deleted with word of it, and erased as the refusal says',
  { timeout: 240_000 },
  async () => {
    const placed = await daemon.call('POST', '/v1/legal-holds', { tenant_id: 'held', reason: 'Matter 7' });
    const hold: string = placed.body.hold.id;
    const resume = 'svc tenant resume held';
    const deleted = await svc.run('tenant', 'delete', 'held', '--yes');
    expect(deleted).toMatchObject({ code: 0, stdout: expect.stringContaining(hold) });
    expect(deleted.stdout).toContain(resume);
    const refused = await svc.run('tenant', 'erase', 'held', '--now');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(hold) });
    expect(refused.stderr).toContain(resume);

    await svc.json('tenant', 'resume', 'held', '--reason', 'the matter is over');
    await expect
      .poll(async () => (await daemon.call('DELETE', `/v1/legal-holds/${hold}`)).status, { timeout: 30_000 })
      .toBe(200);
    const again = await svc.run('tenant', 'delete', 'held', '--yes');
    expect(again).toMatchObject({ code: 0, stdout: expect.not.stringContaining(hold) });
    expect((await svc.json('tenant', 'erase', 'held', '--now')).erased_rows).toBeGreaterThan(0);
  },
);
