import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../kit/free-port.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

interface StartOptions {
  environment?: Record<string, string>;
  /** In a group of processes of its own, as a terminal runs a command. */
  ownGroup?: boolean;
}

/** A real `svc start`, compiled, in a process of its own. */
export class SvcProcess {
  private stderr = '';
  private stdout = '';
  private readonly child: ChildProcess;
  private readonly exited: Promise<number | string>;

  private constructor(
    readonly dataDir: string,
    readonly port: number,
    readonly toolsPort: number,
    program: string,
    { environment = {}, ownGroup = false }: StartOptions,
  ) {
    this.child = spawn(process.execPath, [program, 'start'], {
      env: {
        PATH: process.env['PATH'],
        SVC_DATA_DIR: dataDir,
        SVC_API_PORT: String(port),
        SVC_TOOLS_PORT: String(toolsPort),
        SVCD_AUTH_MODE: 'dev_scopes',
        SVCD_HTTP_PORT: '0',
        SVCD_MCP_PORT: '0',
        SVCD_GRPC_PORT: '0',
        SVC_SHUTDOWN_DRAIN_SECS: '5',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: ownGroup,
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.exited = new Promise((resolve) => this.child.once('exit', (code, signal) => resolve(code ?? signal ?? '')));
  }

  /** Starts it and waits until it says that all of it is ready, and /readyz answers 200 in both apps. */
  static async start(
    dataDir: string,
    options: StartOptions & { root?: string; anyPorts?: true } = {},
  ): Promise<SvcProcess> {
    const root = options.root ?? ROOT;
    const [port = 0, toolsPort = 0] = options.anyPorts ? [] : await freePorts(2);
    const svc = new SvcProcess(dataDir, port, toolsPort, join(root, 'dist', 'main.js'), options);
    const isReady = async (): Promise<boolean> =>
      svc.saysReady && (await svc.readiness()) === 200 && (await svc.toolsReadiness()) === 200;
    await until('readiness', async () => svc.hasEnded || (await isReady()), 240_000).catch(() => svc.stop());
    if (svc.hasEnded) throw new Error(`svc did not come up:\n${svc.stderr}\n${svc.stdout}`);
    return svc;
  }

  /** Where its API is; for a port that might be any, as credentials.json says. */
  get url(): string {
    return this.port === 0 ? this.credentials.api_url : `http://127.0.0.1:${this.port}`;
  }

  get toolsUrl(): string {
    return this.toolsPort === 0 ? this.credentials.tools_url : `http://127.0.0.1:${this.toolsPort}`;
  }

  get pid(): number {
    return this.child.pid!;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private get saysReady(): boolean {
    return this.log.some(({ app, msg }) => app === 'supervisor' && msg.startsWith('Ready after'));
  }

  /** What a person at the terminal sees. */
  get console(): string {
    return this.stderr;
  }

  /** The JSON lines on stdout, without one that is still being written; a line that is none fails. */
  get log(): { app: string; pid: number; msg: string; [fact: string]: unknown }[] {
    return this.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { app: string; pid: number; msg: string });
  }

  get credentials(): { tenant_id: string; api_key: string; api_url: string; tools_url: string; daemon_url: string } {
    return JSON.parse(readFileSync(join(this.dataDir, 'credentials.json'), 'utf8')) as never;
  }

  /** The pid of the newest api process that said it was ready. */
  get apiPid(): number {
    return this.pidOf('api');
  }

  get toolsPid(): number {
    return this.pidOf('tools');
  }

  get postgresPid(): number {
    return readPostmasterPid(this.dataDir)!;
  }

  /** Status of the API's /readyz, 0 when nothing listens. */
  readiness(): Promise<number> {
    return statusOf(() => `${this.url}/readyz`);
  }

  /** The same of the tool service. */
  toolsReadiness(): Promise<number> {
    return statusOf(() => `${this.toolsUrl}/readyz`);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** To every process of its group, as Ctrl-C on a terminal does; it was started with `ownGroup`. */
  killGroup(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }

  /** Sends SIGTERM and waits. @returns the exit code */
  async stop(): Promise<number | string> {
    this.kill('SIGTERM');
    return this.exited;
  }

  /** Waits for its end, after a signal that was sent already. @returns the exit code */
  untilEnded(): Promise<number | string> {
    return this.exited;
  }

  private pidOf(app: string): number {
    return this.log.findLast((line) => line.app === app && line.msg === 'ready')!.pid;
  }
}

async function statusOf(url: () => string): Promise<number> {
  try {
    const answer = await fetch(url());
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
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
