import { expect, it } from 'vitest';
import { buildBench, runLoad } from './load.js';

buildBench();

it(
  'of 64 workers, some stopped past their lease, none holds what another does, and every history is linearizable',
  { timeout: 600_000 },
  () => {
    const leases = runLoad({ operations: 2000, items: 200, stopped: 3, stops: 1, ttl: 2, kills: 0 });
    expect(leases.faults).toEqual([]);
    expect(leases.operations).toBeGreaterThanOrEqual(2000);
    expect(leases.stops).toBe(3);
    // Each that was stopped wrote, renewed and released too late.
    expect(leases.refusedAfterStop).toBe(9);
    expect(leases.refusedOldFences).toBeGreaterThan(9);
    expect(leases.grants).toBeGreaterThan(200);
    expect(leases.answers).toMatchObject({ 'claim 409': expect.any(Number), 'write 200': expect.any(Number) });
  },
);
