import type { Socket } from 'node:net';
import type { Client } from 'pg';
import type { Log } from '../observability/log.js';

const TICK_MS = 500;
/** A connection that waits for an answer and moves no byte for this many ticks is asked about at the server. */
const SILENT_TICKS = 3;
/** No session of a server has this process id. */
const NO_PID = 0;
/** How often in a row the server must say that it works on nothing of a connection that waits. */
const DOUBTS = 2;

/** Asks the server, over a new connection, which of these sessions it works for. Rejects when it cannot be reached. */
type AskServer = (pids: number[]) => Promise<number[]>;

export interface MonitorOptions {
  log: Log;
  ask: AskServer;
  /**
   * Behind a pooler in transaction mode the session is not known: there, what waits longer than any statement may take
   * is dead. Milliseconds.
   */
  longestStatementMs: number;
}

/** One watched connection. The members read here are those of the driver's client. */
interface Watched {
  client: Client & {
    backendPid?: number | undefined;
    isOpen?: boolean;
    readyForQuery?: boolean;
    connection: { stream: Socket };
    getTransactionStatus(): string | null;
  };
  bytes: number;
  silentTicks: number;
  doubts: number;
}

/**
 * Ends connections of one role that were lost silently: behind a NAT or a balancer that lost its state no packet comes
 * back, and TCP itself gives up after a quarter of an hour. A statement that waits in silence is looked up in
 * pg_stat_activity over a new connection. When the server works on nothing for it, its connection is destroyed, and
 * with it those that are idle: the pool makes new ones. Statements that run for long are left alone.
 */
export class ConnectionMonitor {
  private readonly watched = new Map<Client, Watched>();
  private readonly timer: NodeJS.Timeout;
  private asking = false;

  constructor(private readonly options: MonitorOptions) {
    this.timer = setInterval(() => this.look(), TICK_MS).unref();
  }

  watch(client: Client): void {
    this.watched.set(client, { client: client as Watched['client'], bytes: 0, silentTicks: 0, doubts: 0 });
    client.once('end', () => this.watched.delete(client));
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const silent = [...this.watched.values()].filter((one) => this.isSilent(one));
    const decidable = silent.filter(({ client }) => client.backendPid !== undefined || client.isOpen === false);
    const { longestStatementMs } = this.options;
    const dead = silent.filter((one) => !decidable.includes(one) && one.silentTicks * TICK_MS > longestStatementMs);
    if (dead.length > 0) this.destroyAll(dead);
    if (decidable.length > 0 && !this.asking) void this.askAbout(decidable);
  }

  private isSilent(one: Watched): boolean {
    const { bytesRead, bytesWritten } = one.client.connection.stream;
    const bytes = bytesRead + bytesWritten;
    const isWaiting = one.client.readyForQuery === false;
    if (!isWaiting || bytes !== one.bytes) Object.assign(one, { bytes, silentTicks: 0, doubts: 0 });
    else one.silentTicks += 1;
    return one.silentTicks >= SILENT_TICKS;
  }

  private async askAbout(silent: Watched[]): Promise<void> {
    this.asking = true;
    try {
      const pids = silent.flatMap(({ client }) => client.backendPid ?? []);
      const working = new Set(await this.options.ask(pids));
      // One that is still being opened waits in vain too, when a later one has come through.
      for (const one of silent) one.doubts = working.has(one.client.backendPid ?? NO_PID) ? 0 : one.doubts + 1;
      const dead = silent.filter(({ silentTicks, doubts }) => silentTicks >= SILENT_TICKS && doubts >= DOUBTS);
      if (dead.length > 0) this.destroyAll(dead);
    } catch {
      // The server cannot be reached: nothing is known of its sessions, and there is nothing to go on with either.
    } finally {
      this.asking = false;
    }
  }

  private destroyAll(dead: Watched[]): void {
    const idle = [...this.watched.values()].filter(({ client }) => client.readyForQuery && !isInTransaction(client));
    this.options.log.warn({ waiting: dead.length, idle: idle.length }, 'connections to the database died in silence');
    for (const one of [...dead, ...idle]) this.destroy(one);
  }

  private destroy({ client }: Watched): void {
    client.connection.stream.destroy(new Error('Connection terminated: the server does not answer'));
  }
}

const isInTransaction = (client: Watched['client']): boolean => client.getTransactionStatus() !== 'I';
