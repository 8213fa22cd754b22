import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clearCorruption } from '../../../src/cli/doctor/corruption.js';
import { loadSettings } from '../../../src/common/config/settings.js';
import { Ballast, ON_DISK } from '../../kit/ballast.js';
import { asSuperuser } from '../../kit/database.js';
import { ALL_SCOPES } from '../../kit/daemon.js';
import { openConsole, type OpenedConsole } from './given.js';

let opened: OpenedConsole;
let place: string;
let ballast: Ballast;
let other: ChildProcess | undefined;
beforeAll(async () => {
  place = mkdtempSync(join(ON_DISK, 'svc-console-ready-'));
  ballast = new Ballast(place);
  const env = { SVC_DATA_DIR: place, SVCD_DATA_DIR_MIN_FREE_RATIO: String(ballast.leastFree) };
  opened = await openConsole({ env });
  const call = opened.daemon.as({ scopes: ALL_SCOPES });
  expect((await call('PUT', '/v1/facts', { entity: 'buoy:7', key: 'colour', value: 'red' })).status).toBe(201);
});
afterAll(async () => {
  other?.kill('SIGKILL');
  await opened.close();
  rmSync(place, { recursive: true, force: true });
});

const sql = (statement: string) => asSuperuser(opened.daemon.database, statement);

/** Another process has the lock, as a second daemon on the directory would: on a file that takes the place of its. */
async function takeLock(): Promise<void> {
  const take = `
    const { DatabaseSync } = require('node:sqlite');
    const lock = new DatabaseSync(${JSON.stringify(join(place, 'other.lock'))});
    lock.exec('begin exclusive');
    console.log('held');
    setInterval(() => lock.isOpen, 1000);`;
  other = spawn(process.execPath, ['-e', take], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(other.stdout!, 'data');
  renameSync(join(place, 'other.lock'), join(place, 'daemon.lock'));
}

interface Fault {
  gate: string;
  harm: () => Promise<unknown>;
  mend: () => Promise<unknown>;
  /** What the daemon says of it. */
  says: string;
  /** What the page advises. */
  advises: string;
}

const FAULTS: Fault[] = [
  {
    gate: 'data_dir_capacity',
    harm: async () => ballast.take(),
    mend: async () => ballast.release(),
    says: 'is free, less than',
    advises: 'Free space on its file system',
  },
  {
    gate: 'data_dir_lock_held',
    harm: takeLock,
    mend: async () => {
      other!.kill('SIGKILL');
      await once(other!, 'exit');
    },
    says: 'the lock on the data directory (daemon.lock) is not held',
    advises: 'Stop the process that has it',
  },
  {
    gate: 'projection_snapshots_valid',
    harm: () => sql(`update fact_head set version = version + 1 where entity = 'buoy:7'`),
    mend: () => sql(`update fact_head set version = version - 1 where entity = 'buoy:7'`),
    says: 'derived rows differ from a replay',
    advises: 'The samples name the rows.',
  },
  {
    gate: 'corruption_state_clear',
    harm: () =>
      sql(`insert into corruption_finding (source, subject, detail) values ('segment', 'acme/1', 'of the test')`),
    mend: () => clearCorruption(loadSettings({ NODE_ENV: 'test' }), { ownerUrl: opened.daemon.database.url }),
    says: 'found damaged and not cleared: 1 of segment',
    advises: 'Restore what svc doctor names',
  },
  {
    gate: 'control_evidence_ok',
    harm: () => sql('alter table fact no force row level security'),
    mend: () => sql('alter table fact force row level security'),
    says: 'row-level security is not forced on fact',
    advises: 'Something signed was changed or deleted',
  },
];

describe('by what is on the page alone, somebody finds why the daemon is not ready', () => {
  it.each(FAULTS)('$gate', async ({ gate, harm, mend, says, advises }) => {
    const { page, visit } = opened;
    await visit('/');
    const readiness = page.getByRole('region', { name: 'Readiness' });
    await readiness.getByText('Ready', { exact: true }).waitFor();
    await harm();
    try {
      await readiness.getByText('Not ready').waitFor();
      await readiness.getByText(says).waitFor();
      await readiness.getByRole('link', { name: 'All gates' }).click();
      await page.getByText('1 of 9 gates fail').waitFor();
      const failing = page.locator('.gates .failing');
      expect(await failing.locator('code').textContent()).toBe(gate);
      await failing.getByText(says).waitFor();
      await failing.getByText(advises).waitFor();
    } finally {
      await mend();
    }
    await page.getByText('All 9 gates hold').waitFor();
  });
});
