import { fork, type ChildProcess } from 'node:child_process';
import { childEnvironment } from '../../common/config/child-environment.js';
import { PROGRAM } from '../../common/program-file.js';
import { UserError } from '../../common/user-error.js';
import { BackOff } from './back-off.js';
import { GO, isReady, STOP, STOP_SOON } from './messages.js';
import type { SupervisorLog } from './supervisor-log.js';

/** An app that dies this often before it ever was ready will not get well by itself. */
const HOPELESS_STARTS = 3;

export interface AppProcessOptions {
  /** The app, as in `svc start <app>`. */
  readonly app: string;
  /** Environment variables that differ from this process's. */
  readonly environment: Record<string, string>;
  readonly log: SupervisorLog;
}

/**
 * One app as a child process: started, restarted with back-off when it dies, and stopped. Its output passes through
 * untouched.
 */
export class AppProcess {
  private readonly backOff = new BackOff();
  private readonly firstReady = Promise.withResolvers<string>();
  private child?: ChildProcess;
  private restart?: NodeJS.Timeout;
  private isAllowed = false;
  private isStopping = false;
  private wasReady = false;
  private starts = 0;
  private listener?: (message: unknown) => void;

  constructor(private readonly options: AppProcessOptions) {
    this.firstReady.promise.catch(() => undefined);
  }

  /** The address at which it first listened; rejects when it never comes up. */
  get ready(): Promise<string> {
    return this.firstReady.promise;
  }

  /** Starts the process, which loads its program and then waits for `allow`. */
  start(): void {
    const startedAt = performance.now();
    this.starts += 1;
    const child = fork(PROGRAM, ['start', this.options.app, '--supervised'], {
      env: childEnvironment(this.options.environment),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.child = child;
    child.on('message', (message) => {
      if (isReady(message)) this.becomeReady(message.ready);
      this.listener?.(message);
    });
    child.once('error', (error) => this.options.log.warn(`${this.options.app} cannot be run: ${error.message}`));
    child.once('exit', (code, signal) => this.comeBack(child, performance.now() - startedAt, signal ?? `code ${code}`));
    if (this.isAllowed) child.send(GO);
  }

  /** The database is ready for it. */
  allow(): void {
    this.isAllowed = true;
    this.send(GO);
  }

  /** Takes its messages, whichever process it is at the time. */
  listen(listener: (message: unknown) => void): void {
    this.listener = listener;
  }

  /** @returns false while it is down; where the channel is closed already, the app ends by itself */
  send(message: string | object): boolean {
    if (!this.child?.connected) return false;
    this.child.send(message, () => undefined);
    return true;
  }

  /** It is to be stopped later: until then it answers, and says that it is shutting down. Dead, it stays so. */
  announceStop(): void {
    this.stayDown();
    this.send(STOP_SOON);
  }

  /** A drain, then after `graceMs` (or at once when `insisted` settles) SIGKILL. Resolves when the process is gone. */
  async stop(graceMs: number, insisted: Promise<void>): Promise<void> {
    this.stayDown();
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    const kill = (): void => void child.kill('SIGKILL');
    const timer = setTimeout(kill, graceMs);
    void insisted.then(kill);
    this.send(STOP);
    await gone;
    clearTimeout(timer);
  }

  private stayDown(): void {
    this.isStopping = true;
    clearTimeout(this.restart);
  }

  private becomeReady(url: string): void {
    if (this.wasReady) this.options.log.info(`${this.options.app} is back at ${url}`, { child: this.options.app, url });
    this.wasReady = true;
    this.firstReady.resolve(url);
  }

  private comeBack(child: ChildProcess, ranFor: number, how: string): void {
    if (this.isStopping || child !== this.child) return;
    const { app, log } = this.options;
    if (!this.wasReady && this.starts >= HOPELESS_STARTS) {
      this.firstReady.reject(
        new UserError(`${app} did not come up in ${this.starts} attempts (last: ${how}); see above`),
      );
      return;
    }
    const wait = this.backOff.next(ranFor);
    log.warn(`${app} ended (${how}); starting it again in ${wait} ms`, { child: app, how, wait_ms: wait });
    this.restart = setTimeout(() => this.start(), wait);
  }
}
