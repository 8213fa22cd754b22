import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LeasesService } from '../../../src/modules/coordination/leases/leases.service.js';
import type { LeaseDraft, LeaseRow } from '../../../src/modules/coordination/leases/leases.types.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

const BY = { principal: 'passport:ada', authType: 'dev_scopes' } as const;

let daemon: TestDaemon;
let leases: LeasesService;
beforeAll(async () => {
  daemon = await startDaemon({ tenants: ['default', 'other'] });
  leases = daemon.app.get(LeasesService, { strict: false });
});
afterAll(() => daemon.close());

let subject = 0;
beforeEach(() => {
  subject += 1;
});

const run = <T>(work: () => Promise<T>, tenant = 'default'): Promise<T> =>
  daemon.app.get(Tenancy, { strict: false }).run(tenant, work);

const draft = (more: Partial<LeaseDraft> = {}): LeaseDraft => ({
  ...{ kind: 'path', subject: `src/${subject}`, mode: 'write', holder: 'ada', heldBy: 'ada', ttlSeconds: 900 },
  ...{ reason: null, ...more },
});

/** The time of a lease is over, as if it had passed. */
const runOut = (fence: number): Promise<unknown> =>
  daemon.database.query(
    `update lease set expires_at = clock_timestamp() - interval '1 ms', renewed_at = clock_timestamp() - interval '1 h' where fence = $1`,
    [fence],
  );

const kindsOf = async (lease: LeaseRow): Promise<string[]> =>
  (
    await daemon.database.query<{ kind: string }>(`select kind from receipt where subject = $1 order by seq`, [
      lease.leaseId,
    ])
  ).map(({ kind }) => kind);

describe('a lease', () => {
  it('has a fence above that of every lease before, whatever it is of', async () => {
    const first = await run(() => leases.grant(BY, draft()));
    const second = await run(() => leases.grant(BY, draft({ kind: 'work', subject: `w${subject}` })));
    const third = await run(() => leases.grant(BY, draft()), 'other');
    expect(first.fence).toBeLessThan(second.fence);
    expect(second.fence).toBeLessThan(third.fence);
    expect(first.expiresAt.getTime() - first.acquiredAt.getTime()).toBe(900_000);
  });

  it('is renewed under the same fence, and never for a shorter time', async () => {
    const lease = await run(() => leases.grant(BY, draft()));
    const longer = await run(() => leases.renew(BY, lease, 2000));
    const shorter = await run(() => leases.renew(BY, lease, 1));
    expect([longer.fence, shorter.fence]).toEqual([lease.fence, lease.fence]);
    expect(longer.expiresAt.getTime()).toBeGreaterThan(lease.expiresAt.getTime());
    expect(shorter.expiresAt).toEqual(longer.expiresAt);
    expect(await kindsOf(lease)).toEqual(['punchcard.acquired', 'punchcard.renewed', 'punchcard.renewed']);
  });

  it('holds nothing from the moment its time is over, and is not renewed then', async () => {
    const lease = await run(() => leases.grant(BY, draft()));
    expect(await run(() => leases.findLive('path', lease.subject))).toEqual(lease);
    await runOut(lease.fence);
    expect(await run(() => leases.findLive('path', lease.subject))).toBeUndefined();
    await expect(run(() => leases.renew(BY, lease, 900))).rejects.toThrow(`The lease ${lease.fence} has ended`);
  });

  it('is ended by whoever takes over, once', async () => {
    const lease = await run(() => leases.grant(BY, draft()));
    const { kind } = lease;
    // In one transaction, so that the sweep of the daemon does not come first.
    const ended = await run(async () => {
      const over = `update lease set expires_at = clock_timestamp() - interval '1 ms' where fence = $1`;
      await daemon.app.get(Tenancy, { strict: false }).query(over, [lease.fence]);
      return leases.endDue(BY, { kind, subject: lease.subject });
    });
    expect(ended.map(({ fence, status }) => [fence, status])).toEqual([[lease.fence, 'expired']]);
    expect(await run(() => leases.endDue(BY, { kind, subject: lease.subject }))).toEqual([]);
    expect(await kindsOf(lease)).toEqual(['punchcard.acquired', 'punchcard.expired']);
    await expect(run(() => leases.end(BY, lease, 'released'))).rejects.toThrow('has ended');
  });

  it('of one tenant is not there for another', async () => {
    const lease = await run(() => leases.grant(BY, draft()));
    expect(await run(() => leases.readByFence(lease.fence), 'other')).toBeUndefined();
    expect(await run(() => leases.readById(lease.leaseId), 'other')).toBeUndefined();
    expect(await run(() => leases.listLive('path'), 'other')).not.toContainEqual(lease);
  });
});
