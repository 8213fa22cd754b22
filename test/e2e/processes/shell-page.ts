import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { blocksOf } from '../../kit/markdown.js';
import { SHELL_PROGRAM } from '../../kit/program.js';
import { removeDataDir, SvcProcess, until } from './svc-process.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const WAT2WASM = `'${process.execPath}' '${join(ROOT, 'node_modules', 'wabt', 'bin', 'wat2wasm')}'`;

/** A page of docs whose blocks of shell run as they stand, one after the other, against a fresh server of its own. */
export class ShellPage {
  readonly text: string;
  readonly folder: string;
  svc!: SvcProcess;
  /** The settings of the page's first block of text. */
  private readonly environment: Record<string, string>;

  constructor(name: string) {
    this.text = readFileSync(join(ROOT, 'docs', name), 'utf8');
    this.folder = mkdtempSync(join(tmpdir(), 'svc-page-'));
    const settings = [...(this.blocks('text')[0] ?? '').matchAll(/(SVCD?_\w+)=(\w+)/g)];
    this.environment = Object.fromEntries(settings.map(([, name, value]) => [name!, value!]));
  }

  blocks(language: string): string[] {
    return blocksOf(this.text, language);
  }

  /** @param settings in addition to those of the page */
  async start(settings: Record<string, string> = {}): Promise<void> {
    const environment = { ...this.environment, ...settings };
    this.svc = await SvcProcess.start(join(this.folder, '.svc'), { environment });
    await until('the ports of the daemon', () => this.opened() !== undefined);
  }

  /** The daemon's line of the log that names its ports. */
  opened() {
    return this.svc.log.find(({ app, msg }) => app === 'daemon' && msg === 'gRPC and MCP are open');
  }

  async stop(): Promise<void> {
    await this.svc.stop();
    removeDataDir(join(this.folder, '.svc'));
    rmSync(this.folder, { recursive: true, force: true });
  }

  /**
   * Runs all blocks in one shell, which ends at the first command that fails.
   * @param options of every curl
   */
  run(options = ''): { stdout: string; stderr: string } {
    const script = this.scriptOf(options);
    const { status, stdout, stderr } = spawnSync('sh', ['-e'], {
      cwd: this.folder,
      env: { ...process.env, ...this.environment },
      input: script,
      encoding: 'utf8',
      timeout: 240_000,
    });
    expect(status, `${stdout}\n${stderr}`).toBe(0);
    return { stdout, stderr };
  }

  /** The same, while this process answers what the commands ask of it. */
  async runAside(): Promise<{ stdout: string; stderr: string }> {
    const shell = spawn('sh', ['-e'], { cwd: this.folder, timeout: 240_000 });
    shell.stdin.end(this.scriptOf(''));
    const [stdout, stderr, [status]] = await Promise.all([
      text(shell.stdout),
      text(shell.stderr),
      once(shell, 'close'),
    ]);
    expect(status, `${stdout}\n${stderr}`).toBe(0);
    return { stdout, stderr };
  }

  private scriptOf(options: string): string {
    return this.blocks('sh')
      .join('\n')
      .replaceAll('http://127.0.0.1:14800', this.svc.credentials.daemon_url)
      .replaceAll('http://127.0.0.1:8090', this.svc.credentials.api_url)
      .replaceAll('npx svc', SHELL_PROGRAM)
      .replaceAll('node dist/main.js', SHELL_PROGRAM)
      .replaceAll('npx --package=wabt wat2wasm', WAT2WASM)
      .replaceAll('curl -sS ', `curl -sS ${options} `);
  }

  /** What comments behind commands that print something promise, `| field state # open`, was printed, in this order. */
  expectPromised(stdout: string, count: number): void {
    const promised = this.blocks('sh').flatMap((block) =>
      [...block.matchAll(/(?:^|\| )(?:field|node -p) .* # ([^:\n]+)/gm)].map(([, text]) => text!),
    );
    expect(promised).toHaveLength(count);
    const lines = stdout.split('\n');
    let from = 0;
    for (const text of promised) {
      const at = lines.indexOf(text, from);
      expect({ text, isPrinted: at >= from, stdout }).toMatchObject({ text, isPrinted: true });
      from = at + 1;
    }
  }
}
