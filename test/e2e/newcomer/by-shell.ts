import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { SHELL_PROGRAM } from '../../kit/program.js';
import { sectionOf, type NewcomersFolder } from './first-answer.js';

/** Runs the commands of a section as they stand, and holds what they print against what the page promises. */
export async function runSection({ path, svc }: NewcomersFolder, heading: string): Promise<void> {
  const { block, promised } = sectionOf(heading, 'sh');
  const script = block.replaceAll('http://127.0.0.1:8090', svc.url).replaceAll('npx svc', SHELL_PROGRAM);
  const shell = spawn('sh', ['-e'], { cwd: path, stdio: ['pipe', 'pipe', 'pipe'] });
  shell.stdin.end(script);
  const [stdout, stderr, [status]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')]);
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  expect(promised).toHaveLength(2);
  expect(stdout.trim().split('\n').slice(-2)).toEqual(promised);
}
