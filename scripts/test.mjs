// `npm test`: builds, runs vitest (further arguments are passed on), and ends with the line `N passed, N failed`.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { ROOT } from './pinned-node.mjs';
import { runNode } from './run-node.mjs';

const folder = mkdtempSync(join(tmpdir(), 'svc-vitest-'));
try {
  process.exitCode = (await build()) ? await runTests(join(folder, 'report.json')) : report(0, 1, 1);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function runTests(file) {
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await runNode([vitest, 'run', ...reporters, ...process.argv.slice(2)]);
  if (!existsSync(file)) return report(0, 1, code || 1);
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(file, 'utf8'));
  return report(numPassedTests, numFailedTests + countBrokenFiles(testResults), code);
}

/** Files that failed before or beside their tests (an import error, a set-up hook) count as one failure each. */
function countBrokenFiles(files) {
  const hasFailedTest = (file) => file.assertionResults.some((test) => test.status === 'failed');
  return files.filter((file) => file.status === 'failed' && !hasFailedTest(file)).length;
}

function report(passed, failed, code) {
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return code;
}
