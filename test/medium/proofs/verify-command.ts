import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM } from '../../kit/program.js';

interface Verified {
  code: number;
  verdict: any;
  /** The first check that failed. */
  failed: string | undefined;
}

/** `svc verify FILE --json` of a file that is saved as it is, in a process of its own. */
export function verifyByCommand(file: Uint8Array): Promise<Verified> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-pack-'));
  const saved = join(directory, 'pack.json');
  writeFileSync(saved, file);
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, 'verify', saved, '--json'], (error, stdout) => {
      rmSync(directory, { recursive: true });
      const verdict = JSON.parse(stdout);
      const failed = verdict.checks.find(({ ok }: { ok: boolean }) => !ok)?.name as string | undefined;
      resolve({ code: error ? Number(error.code) : 0, verdict, failed });
    });
  });
}
