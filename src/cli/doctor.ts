import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { listDoubts } from '../common/config/doubts.js';
import { loadSettings, type Settings } from '../common/config/settings.js';
import { externalAddress, type DatabaseAddress } from '../common/database/connection.js';
import { openDatabase } from '../common/database/open.js';
import { examineAll, type Examined } from './doctor/examine.js';
import { clearCorruption } from './doctor/corruption.js';
import { hostChecks } from './doctor/host-checks.js';
import { print, type OutputOptions, type Line } from './output.js';

/**
 * `svc doctor`: looks at everything svc depends on, changes nothing without --clear-corruption, and prints a remedy for
 * what it finds.
 */
export const doctorCommand = (): Command =>
  new Command('doctor')
    .description('check machine, settings, database and evidence; exit code 0 when all is well, 1 when not')
    .option('--json', 'print {"ok","checks":[{"name","ok","detail","remedy"}]}')
    .option('--full', 'look at all of the evidence, however much it is, and name everything that is amiss')
    .option(
      '--clear-corruption',
      'instead, say that all damage found so far has been dealt with, so that the daemon is ready again',
    )
    .action(async (options: DoctorOptions) => {
      if (options.clearCorruption) return clear(options);
      const checks = await diagnose(options.full ?? false);
      const ok = checks.every((check) => check.ok);
      print(options, { ok, checks }, () => [
        ...checks.flatMap(describe),
        ok ? { text: 'All is well.', style: 'green' } : { text: 'Not all is well.', style: 'red' },
      ]);
      process.exitCode = ok ? 0 : 1;
    });

interface DoctorOptions extends OutputOptions {
  full?: true;
  clearCorruption?: true;
}

async function clear(options: OutputOptions): Promise<void> {
  const settings = loadSettings();
  const database = await openDatabase(settings, () => undefined);
  try {
    const cleared = await clearCorruption(settings, database.address);
    print(options, { ok: true, cleared }, () => [
      ...cleared.map(({ source, subject, detail }) => `cleared  ${source} ${subject}: ${detail}`),
      cleared.length > 0 ? 'What is still damaged is found again within seconds.' : 'Nothing was to be cleared.',
    ]);
  } finally {
    await database.close();
  }
}

async function diagnose(isFull: boolean): Promise<Examined[]> {
  const { settings, finding } = readSettings();
  if (!settings) return [finding];
  return [finding, ...(await examineAll(hostChecks(settings))), ...(await diagnoseDatabase(settings, isFull))];
}

const REMEDY = 'Correct these variables; docs/env.md describes each.';

function readSettings(): { settings?: Settings; finding: Examined } {
  const name = 'settings';
  try {
    const settings = loadSettings();
    const doubts = listDoubts();
    if (doubts.length === 0) return { settings, finding: { name, ok: true, detail: 'valid' } };
    return { settings, finding: { name, ok: true, detail: doubts.join('; '), remedy: REMEDY } };
  } catch (error) {
    return { finding: { name, ok: false, detail: (error as Error).message, remedy: REMEDY } };
  }
}

/**
 * An embedded server that does not run is started for the time of the checks; one that was never made is not made now.
 */
async function diagnoseDatabase(settings: Settings, isFull: boolean): Promise<Examined[]> {
  const isMade = existsSync(join(settings.process.dataDir, 'postgres', 'data', 'PG_VERSION'));
  try {
    if (!externalAddress(settings) && !isMade)
      return [{ name: 'database', ok: true, detail: 'none yet; the first "svc start" makes it' }];
    const database = await openDatabase(settings, () => undefined);
    try {
      return await examineDatabase(settings, database.address, isFull);
    } finally {
      await database.close();
    }
  } catch (error) {
    const remedy = `The log of the server is in ${join(settings.process.dataDir, 'postgres', 'data', 'log')}.`;
    return [{ name: 'database', ok: false, detail: (error as Error).message, remedy }];
  }
}

async function examineDatabase(settings: Settings, address: DatabaseAddress, isFull: boolean): Promise<Examined[]> {
  const { databaseChecks } = await import('./doctor/database-checks.js');
  const { checks, close } = databaseChecks(settings, address, isFull);
  try {
    return await examineAll(checks);
  } finally {
    await close();
  }
}

function describe({ name, ok, detail, remedy }: Examined): Line[] {
  const line = `${ok ? (remedy === undefined ? 'ok  ' : 'warn') : 'FAIL'}  ${name.padEnd(18)}${detail}`;
  const shown: Line = !ok ? { text: line, style: 'red' } : remedy ? { text: line, style: 'yellow' } : line;
  return remedy ? [shown, `      ${' '.repeat(18)}> ${remedy}`] : [shown];
}
