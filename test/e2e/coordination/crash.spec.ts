import { expect, it } from 'vitest';
import { buildBench, runLoad } from './load.js';

buildBench();

it(
  'kill -9 of daemon and PostgreSQL under load loses no lease and doubles none, and fences only rise',
  { timeout: 600_000 },
  () => {
    const leases = runLoad({ operations: 1600, items: 200, workers: 16, stopped: 0, ttl: 3, kills: 3 });
    // Among them: leases that were answered and are not there, that nobody asked for, or that have no receipt.
    expect(leases.faults).toEqual([]);
    expect(leases.kills).toEqual({ daemon: 2, postgresql: 1 });
    expect(leases.doctor.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
    expect(leases.grants).toBeGreaterThan(100);
  },
);
