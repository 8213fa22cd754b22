import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../common/config/settings.js';
import { externalAddress, type DatabaseAddress } from '../../common/database/connection.js';
import { startEmbedded, type EmbeddedServer } from '../../common/database/embedded/embedded.js';
import { UserError } from '../../common/user-error.js';
import { BackOff } from './back-off.js';
import type { SupervisorLog } from './supervisor-log.js';

/**
 * Keeps the embedded PostgreSQL running, at the same address through restarts. With an external database there is
 * nothing to keep.
 */
export class DatabaseKeeper {
  private readonly stopping = new AbortController();
  private starting?: Promise<EmbeddedServer>;
  private server?: EmbeddedServer;
  private keeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly settings: Settings,
    private readonly log: SupervisorLog,
  ) {}

  async start(): Promise<DatabaseAddress> {
    const external = externalAddress(this.settings);
    if (external) return external;
    this.starting = this.startServer();
    this.server = await this.starting;
    this.keeping = this.keep();
    return { ownerUrl: this.server.url };
  }

  /** Stops the server, also one that is still starting, unless another process uses it. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.starting?.catch(() => undefined);
    await this.server?.stop();
    await this.keeping;
    await this.server?.stop(); // one that was being replaced meanwhile
  }

  private startServer(): Promise<EmbeddedServer> {
    return startEmbedded({ dataDir: this.settings.process.dataDir, log: (message) => this.log.info(message) });
  }

  private async keep(): Promise<void> {
    const backOff = new BackOff();
    for (let startedAt = performance.now(); ; startedAt = performance.now()) {
      await this.server?.gone;
      if (this.stopping.signal.aborted) return;
      const wait = backOff.next(performance.now() - startedAt);
      this.log.warn(`PostgreSQL ended; starting it again in ${wait} ms`, { wait_ms: wait });
      await sleep(wait, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.stopping.signal.aborted) return;
      await this.replace();
    }
  }

  private async replace(): Promise<void> {
    const previous = this.server;
    try {
      this.server = await this.startServer();
      await previous?.stop();
    } catch (error) {
      const { message } = error as Error;
      this.log.warn(error instanceof UserError ? message : `PostgreSQL does not start: ${message}`);
    }
  }
}
