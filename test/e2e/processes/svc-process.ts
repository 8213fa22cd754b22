import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** A real `svc start`, compiled, in a process of its own. */
export class SvcProcess {
  private stderr = '';
  private stdout = '';
  private readonly child: ChildProcess;
  private readonly exited: Promise<number | string>;

  private constructor(
    readonly dataDir: string,
    readonly port: number,
    program: string,
    environment: Record<string, string>,
  ) {
    this.child = spawn(process.execPath, [program, 'start'], {
      env: {
        PATH: process.env['PATH'],
        SVC_DATA_DIR: dataDir,
        SVC_API_PORT: String(port),
        SVC_SHUTDOWN_DRAIN_SECS: '5',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.exited = new Promise((resolve) => this.child.once('exit', (code, signal) => resolve(code ?? signal ?? '')));
  }

  /** Starts it and waits until /readyz answers 200. */
  static async start(
    dataDir: string,
    options: { root?: string; environment?: Record<string, string> } = {},
  ): Promise<SvcProcess> {
    const root = options.root ?? ROOT;
    execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { stdio: 'inherit' });
    const svc = new SvcProcess(dataDir, await freePort(), join(root, 'dist', 'main.js'), options.environment ?? {});
    await until('readiness', async () => svc.hasEnded || (await svc.readiness()) === 200).catch(() => svc.stop());
    if (svc.hasEnded) throw new Error(`svc did not come up:\n${svc.stderr}\n${svc.stdout}`);
    return svc;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.child.pid!;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** What a person at the terminal sees. */
  get console(): string {
    return this.stderr;
  }

  /** The JSON lines on stdout; a line that is none fails. */
  get log(): { app: string; pid: number; msg: string; [fact: string]: unknown }[] {
    return this.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { app: string; pid: number; msg: string });
  }

  get credentials(): { tenant_id: string; api_key: string } {
    return JSON.parse(readFileSync(join(this.dataDir, 'credentials.json'), 'utf8')) as never;
  }

  /** The pid of the newest api process that said it was ready. */
  get apiPid(): number {
    return this.log.findLast((line) => line.app === 'api' && line.msg === 'ready')!.pid;
  }

  get postgresPid(): number {
    return readPostmasterPid(this.dataDir)!;
  }

  /** Status of /readyz, 0 when nothing listens. */
  async readiness(): Promise<number> {
    try {
      return (await fetch(`${this.url}/readyz`)).status;
    } catch {
      return 0;
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends SIGTERM and waits. @returns the exit code */
  async stop(): Promise<number | string> {
    this.kill('SIGTERM');
    return this.exited;
  }
}

/** Removes a data directory and its cluster, which for root may lie elsewhere behind a link. */
export function removeDataDir(dataDir: string): void {
  rmSync(realpathSync(join(dataDir, 'postgres')), { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
}

export function readPostmasterPid(dataDir: string): number | undefined {
  try {
    return Number(readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return undefined;
  }
}

/** Whether the process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    if (process.platform === 'linux') return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .startsWith('Z');
  } catch {
    return false;
  }
}

/** Polls until the condition holds. @throws Error naming it after the time is over */
export async function until(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await sleep(20);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
