import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { freePort } from '../../kit/free-port.js';

/** Where the server may lie; one of them must, or the tests fail: they are about the real thing. */
const BINARIES = ['/usr/sbin/nats-server', '/usr/local/bin/nats-server', '/usr/bin/nats-server'];

/**
 * A nats-server of its own, with JetStream on disk, on a free loopback port; it can be killed and started again with
 * what it had stored.
 */
export class NatsServer {
  private child: ChildProcess | undefined;
  private readonly store = mkdtempSync(join(tmpdir(), 'svc-nats-'));

  private constructor(private readonly port: number) {}

  static async start(): Promise<NatsServer> {
    const nats = new NatsServer(await freePort());
    await nats.resume();
    return nats;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  async resume(): Promise<void> {
    const binary = BINARIES.find((path) => existsSync(path));
    if (!binary) throw new Error(`nats-server is needed at one of ${BINARIES.join(', ')}: apt-get install nats-server`);
    this.child = spawn(binary, ['-a', '127.0.0.1', '-p', String(this.port), '-js', '-sd', this.store], {
      stdio: 'ignore',
    });
    for (let waited = 0; waited < 10_000; waited += 50) {
      const connection = await connect({ servers: `127.0.0.1:${this.port}`, reconnect: false }).catch(() => undefined);
      if (connection) return connection.close();
      await sleep(50);
    }
    throw new Error('nats-server did not start');
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.store, { recursive: true, force: true });
  }
}
