import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PROGRAM } from '../../kit/program.js';

export interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** A repository with a bare one as its remote `origin`, and nothing of this machine's git config. */
export class GitRepository {
  readonly place = mkdtempSync(join(tmpdir(), 'svc-hook-'));
  readonly folder = join(this.place, 'work tree');
  readonly remote = join(this.place, 'remote.git');
  readonly env: Record<string, string> = {
    PATH: process.env['PATH']!,
    HOME: this.place,
    GIT_CONFIG_NOSYSTEM: '1',
    ...{ GIT_AUTHOR_NAME: 'ada', GIT_AUTHOR_EMAIL: 'ada@example.org' },
    ...{ GIT_COMMITTER_NAME: 'ada', GIT_COMMITTER_EMAIL: 'ada@example.org' },
  };

  constructor() {
    spawnSync('git', ['init', '-q', '--bare', '-b', 'main', this.remote], { env: this.env });
    spawnSync('git', ['init', '-q', '-b', 'main', this.folder], { env: this.env });
    this.must('remote', 'add', 'origin', this.remote);
  }

  git(...args: string[]): Promise<Outcome> {
    return this.run('git', args);
  }

  /** Without hooks, and it has to succeed. */
  must(...args: string[]): string {
    const all = ['-c', 'core.hooksPath=/dev/null', '-c', 'protocol.file.allow=always', ...args];
    const { status, stdout, stderr } = spawnSync('git', all, { cwd: this.folder, env: this.env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  }

  svc(...args: string[]): Promise<Outcome> {
    return this.run(process.execPath, [PROGRAM, ...args]);
  }

  /** Nothing waits in this process, so that it can serve meanwhile. */
  run(program: string, args: string[]): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, { cwd: this.folder, env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
      const said = { stdout: '', stderr: '' };
      for (const side of ['stdout', 'stderr'] as const)
        child[side].setEncoding('utf8').on('data', (text: string) => (said[side] += text));
      child.once('error', reject).once('close', (status) => resolve({ status, ...said }));
    });
  }

  write(path: string, text = path, mode = 0o644): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text, { mode });
  }

  read = (path: string): string => readFileSync(join(this.folder, path), 'utf8');

  /** Commits these files without hooks. */
  commit(...paths: string[]): string {
    for (const path of paths) this.write(path, `${path} ${Math.random()}`);
    this.must('add', '-A');
    this.must('commit', '-q', '-m', 'some work');
    return this.must('rev-parse', 'HEAD');
  }

  remove(): void {
    rmSync(this.place, { recursive: true, force: true });
  }
}
