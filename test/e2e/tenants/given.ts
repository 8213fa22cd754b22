import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { TestDatabase } from '../../kit/database.js';
import { PROGRAM } from '../../kit/program.js';

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The svc command, compiled, on a database: each call is a process of its own. */
export class SvcCommand {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-command-'));
  private readonly env: Record<string, string>;

  constructor(database: Pick<TestDatabase, 'url'>, settings: Record<string, string> = {}) {
    this.env = {
      PATH: process.env['PATH'] ?? '',
      SVC_DATA_DIR: this.folder,
      SVC_DATABASE_URL: database.url,
      SVC_SIGNING_KEY_FILE: inject('signingKeyFile'),
      ...settings,
    };
  }

  /** Servers of this process go on meanwhile. */
  async run(...args: string[]): Promise<Ended> {
    const child = spawn(process.execPath, [PROGRAM, ...args], { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve) => child.once('close', resolve)),
    ]);
    return { code, stdout, stderr };
  }

  /** `--json`, where it succeeds. */
  async json(...args: string[]): Promise<any> {
    const { code, stdout, stderr } = await this.run(...args, '--json');
    if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** In the background, without waiting. */
  start(...args: string[]): ChildProcess {
    return spawn(process.execPath, [PROGRAM, ...args], { env: this.env, stdio: 'ignore' });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
