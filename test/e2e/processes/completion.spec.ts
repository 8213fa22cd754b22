import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../../kit/program.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-completion-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasShell = (name: string): boolean => spawnSync(name, ['-c', 'true']).status === 0;

/** The script of a shell, in a file. */
function scriptOf(shell: string): string {
  const file = join(folder, `svc.${shell}`);
  writeFileSync(file, execFileSync(process.execPath, [PROGRAM, 'completion', shell], { encoding: 'utf8' }));
  return file;
}

/** What bash offers at the end of a line. */
function completeInBash(script: string, line: string): string[] {
  const words = line.split(' ');
  const commands = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', commands, 'bash', script, ...words], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter(Boolean);
}

describe('svc completion', { timeout: 60_000 }, () => {
  it('completes verbs, options and their choices in bash', () => {
    const script = scriptOf('bash');
    expect(spawnSync('bash', ['-n', script]).status).toBe(0);
    expect(completeInBash(script, 'svc ten')).toEqual(['tenant']);
    expect(completeInBash(script, 'svc tenant s')).toEqual(expect.arrayContaining(['show', 'set-tier', 'suspend']));
    expect(completeInBash(script, 'svc tenant create acme --ti')).toEqual(['--tier']);
    expect(completeInBash(script, 'svc tenant create --tier ')).toEqual(['free', 'starter', 'pro', 'team']);
    expect(completeInBash(script, 'svc start ')).toEqual(expect.arrayContaining(['api', 'tools', 'daemon', '--help']));
    expect(completeInBash(script, 'svc completion z')).toEqual(['zsh']);
    expect(completeInBash(script, 'svc ingest docs --shareability o')).toEqual(['owner_only']);
    // Nothing of its own: bash goes on with names of files.
    expect(completeInBash(script, 'svc restore --passphrase-file ')).toEqual([]);
  });

  it.runIf(hasShell('zsh'))('completes in zsh', () => {
    const script = scriptOf('zsh');
    const offered = (...words: string[]): string[] => {
      // Stand-ins for what a line editor has: the completion system calls the function with these.
      const commands = `compdef() {}; _describe() { print -l -- \${(P)2} }; source "$1"; shift; words=("$@"); CURRENT=$#; _svc`;
      const { status, stdout, stderr } = spawnSync('zsh', ['-fc', commands, 'zsh', script, ...words], {
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([0, '']);
      return stdout.split('\n').filter(Boolean);
    };
    expect(offered('svc', 'tenant', 'create', '--tier', '')).toEqual(['free', 'starter', 'pro', 'team']);
    expect(offered('svc', '')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^tenant:make/), '--version:output the version number']),
    );
  });

  it.runIf(hasShell('fish'))('completes in fish', () => {
    const line = `source ${scriptOf('fish')}; complete -C "svc tenant create --tier "`;
    const { status, stdout } = spawnSync('fish', ['--no-config', '-c', line], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining('starter')]);
  });
});
