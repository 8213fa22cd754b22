import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { markLog, reasonSince } from './server-log.js';

let pgData: string;
beforeAll(() => {
  pgData = mkdtempSync(join(tmpdir(), 'svc-server-log-'));
});
afterAll(() => rmSync(pgData, { recursive: true, force: true }));

it('finds why a server ended, of what was logged since', () => {
  expect(reasonSince(pgData, markLog(pgData))).toBeUndefined();
  mkdirSync(join(pgData, 'log'));
  const file = join(pgData, 'log', 'postgresql-Mon.log');
  writeFileSync(file, '2026-11-30 UTC [1] FATAL:  terminating connection due to administrator command\n');
  const mark = markLog(pgData);
  appendFileSync(file, '2026-11-30 UTC [2] LOG:  starting PostgreSQL\n');
  expect(reasonSince(pgData, mark)).toBeUndefined();
  const full = '2026-11-30 UTC [3] FATAL:  could not write to file "pg_wal/xlogtemp.3": No space left on device';
  appendFileSync(file, `${full}\n2026-11-30 UTC [2] LOG:  database system is shut down\n`);
  expect(reasonSince(pgData, mark)).toBe(full);
  writeFileSync(file, 'PANIC:  x\n');
  expect(reasonSince(pgData, mark)).toBe('PANIC:  x');
});
