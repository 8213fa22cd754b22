import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { patroniMissing, PatroniPostgres } from '../../kit/patroni.js';
import { expectNothingLost, Fleet } from './writers-under-failover.js';

const reason = patroniMissing ? ` (${patroniMissing})` : '';
describe.skipIf(patroniMissing)(`a failover that Patroni does${reason}`, () => {
  let folder: string;
  let postgres: PatroniPostgres | undefined;
  let fleet: Fleet | undefined;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-patroni-fleet-'));
    postgres = await PatroniPostgres.start();
    fleet = await Fleet.start(postgres.url, folder);
  }, 300_000);
  afterAll(async () => {
    await fleet?.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    'loses nothing that was acknowledged when primary and Patroni are killed under writers',
    { timeout: 400_000 },
    async () => {
      await expectNothingLost(fleet!, {
        kill: () => postgres!.killPrimary(),
        untilPromoted: () => postgres!.untilPromoted(),
      });
      // The third took the place of the promoted one: what was acknowledged since is on two servers again.
      await postgres!.untilRoles('primary', 'synchronous');
      await postgres!.startMembers();
      await postgres!.untilRoles('primary', 'replica', 'synchronous');
    },
  );
});
