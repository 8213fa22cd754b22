#!/usr/bin/env node
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { withTemporaryServer } from '../src/common/client/temporary-server.js';
import { wholeNumber } from '../src/cli/whole-number.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { perSecond, seconds } from './report.js';
import { writeSourceTree } from './source-tree.js';
import { say } from './table.js';
import { callDaemon } from './work-board.js';

interface Scan {
  scan_id: string;
  state: string;
  files_found: number | null;
  files: number;
  symbols: number;
  problem: string | null;
  started_at: string;
  ended_at: string | null;
}

/** `npm run bench:workspace`: a folder of many files of eight languages is scanned by a temporary server. */
const program = new Command('bench:workspace')
  .description('make a folder of source files and measure how long a scan of it takes')
  .option('--files <number>', 'how many', wholeNumber(10, 199_000), 50_000)
  .addOption(jsonOption())
  .action(async (options: { files: number } & JsonOption) => {
    const { files } = options;
    const run = new BenchRun('workspace', options);
    const root = mkdtempSync(join(tmpdir(), 'svc-workspace-'));
    try {
      say(`Writing ${files} files`);
      writeSourceTree(root, files);
      const scanned = await measure(root);
      const { files: found, seconds: took } = scanned;
      run.print(scanned, [seconds('scan', [took]), perSecond('files: rate', [found / took])]);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

function measure(root: string) {
  return withTemporaryServer({ environment: { SVCD_WORKSPACE_ROOT: root } }, async (server) => {
    const { scan } = await callDaemon<{ scan: Scan }>(server, 'POST', '/v1/workspace/scan', {});
    for (;;) {
      await wait(500);
      const now = await callDaemon<Scan>(server, 'GET', `/v1/workspace/scans/${scan.scan_id}`);
      say(`${now.state}: ${now.files} of ${now.files_found ?? '?'} files, ${now.symbols} symbols`);
      if (now.ended_at === null) continue;
      const seconds = (Date.parse(now.ended_at) - Date.parse(now.started_at)) / 1000;
      const { state, files, symbols, problem } = now;
      return { state, problem, files, symbols, seconds };
    }
  });
}

await program.parseAsync();
