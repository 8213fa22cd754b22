import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, it } from 'vitest';
import { ReplicatedPostgres } from '../../kit/replication.js';
import { expectNothingLost, Fleet } from './writers-under-failover.js';

let folder: string;
let postgres: ReplicatedPostgres | undefined;
let fleet: Fleet | undefined;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-failover-'));
  postgres = await ReplicatedPostgres.start();
  await postgres.waitForStandby();
  const { primary } = postgres.socketDirs;
  leadTo(primary);
  fleet = await Fleet.start(
    postgres.database.url.replace(encodeURIComponent(primary), encodeURIComponent(link())),
    folder,
  );
}, 240_000);
afterAll(async () => {
  await fleet?.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The name by which the fleet knows its primary: what an address that moves, or a proxy, is elsewhere. */
const link = (): string => join(folder, 'primary');

function leadTo(socketDir: string): void {
  symlinkSync(socketDir, join(folder, 'next'));
  renameSync(join(folder, 'next'), link());
}

it(
  'loses nothing that was acknowledged when the primary is killed under writers, and goes on with the standby',
  { timeout: 300_000 },
  () =>
    expectNothingLost(fleet!, {
      kill: () => postgres!.killPrimary(),
      untilPromoted: async () => {
        // Patroni moves the address when it has asked for the promotion: for a while it leads to a server in recovery.
        leadTo(postgres!.socketDirs.standby);
        await sleep(1_000);
        await postgres!.asSuperuserOfStandby('select pg_promote()');
      },
    }),
);
