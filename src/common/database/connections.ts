import type { Client } from 'pg';
import { DataSource, type ColumnType, type DataSourceOptions } from 'typeorm';
import type { Settings } from '../config/settings.js';
import type { Log } from '../observability/log.js';
import type { Metrics } from '../observability/metrics.js';
import { placesForWrites, WriteLimit } from '../tenancy/write-limit.js';
import { replicaAddress, withConnection, type DatabaseAddress, type Role } from './connection.js';
import { ConnectionMonitor } from './connection-monitor.js';
import { poolOf } from './pool-of.js';
import { ReadReplica } from './read-replica.js';
import { roleDataSource } from './role-data-source.js';

/** The connections of one role. */
export interface RoleConnections {
  source: DataSource;
  monitor: ConnectionMonitor;
  /** What does not read takes its place there. */
  writes: WriteLimit;
}

/** Those of svc_app to the read replica. */
interface ReplicaConnections {
  replica: ReadReplica;
  monitor: ConnectionMonitor;
}

export interface ConnectionsOptions {
  settings: Settings;
  log: Log;
  metrics: Metrics;
  /** The rows that modules read and write by key, in the units of work of a tenant: those of svc_app. */
  entities: EntityClass[];
}

type EntityClass = new () => object;

/** All connections of a process to its database, but for that of the listener. */
export class Connections {
  private constructor(
    readonly app: RoleConnections,
    readonly operator: RoleConnections,
    /** Where there is one. */
    readonly replica?: ReplicaConnections,
  ) {}

  /** @throws RoleRefused when a role is not what it must be, before anything is served */
  static async open(
    address: DatabaseAddress,
    { settings, log, metrics, entities }: ConnectionsOptions,
  ): Promise<Connections> {
    const monitorOf = (at: DatabaseAddress, role: Role): ConnectionMonitor =>
      new ConnectionMonitor({
        log,
        ask: (pids) => findWorking(at, role, settings, pids),
        longestStatementMs: settings.database.statementTimeoutMs + MARGIN_MS,
      });
    const open = async (role: Role): Promise<RoleConnections> => {
      const monitor = monitorOf(address, role);
      const { poolSize, operatorPoolSize, connectTimeoutMs } = settings.database;
      const places = placesForWrites(role === 'svc_app' ? poolSize : operatorPoolSize);
      return {
        monitor,
        writes: new WriteLimit(places, connectTimeoutMs),
        source: await makeDataSource({
          ...roleDataSource(address, role, { settings, monitor }),
          entities: role === 'svc_app' ? entities : [],
        }).initialize(),
      };
    };
    const [app, operator] = await Promise.all([open('svc_app'), open('svc_operator')]);
    const at = replicaAddress(address);
    if (!at) return new Connections(app, operator);
    const monitor = monitorOf(at, 'svc_app');
    const replica = new ReadReplica({
      log,
      metrics,
      primary: poolOf(app.source),
      makeSource: () => makeDataSource({ ...replicaDataSource(at, settings, monitor), entities }),
      waitMs: settings.database.readWaitMs,
    });
    return new Connections(app, operator, { replica, monitor });
  }

  async close(): Promise<void> {
    for (const { monitor } of [this.app, this.operator, ...(this.replica ? [this.replica] : [])]) monitor.stop();
    await this.replica?.replica.close();
    await Promise.all([this.app.source.destroy(), this.operator.source.destroy()]);
  }
}

/** A replica that does not take a connection soon is not waited for: the primary does. */
const REPLICA_CONNECT_MS = 500;

function replicaDataSource(at: DatabaseAddress, settings: Settings, monitor: ConnectionMonitor): DataSourceOptions {
  const { database } = settings;
  const connectTimeoutMs = Math.min(database.connectTimeoutMs, REPLICA_CONNECT_MS);
  return roleDataSource(at, 'svc_app', {
    settings: { ...settings, database: { ...database, connectTimeoutMs } },
    monitor,
  });
}

/** A data source whose entities may have columns of every type that the schema uses. */
export function makeDataSource(options: DataSourceOptions): DataSource {
  const source = new DataSource(options);
  source.driver.supportedDataTypes.push('pg_snapshot' as ColumnType);
  return source;
}

const MARGIN_MS = 5_000;
/** One that began while the network was away delays the next by as much. */
const ASK_MS = 1_000;

/** A session that waits for its client works on nothing: what it sent last does not arrive. */
const WORKING = `select pid from pg_stat_activity
  where pid = any($1) and state in ('active', 'fastpath function call') and wait_event_type is distinct from 'Client'`;

/** @returns those of the sessions that the server works for */
async function findWorking(
  address: DatabaseAddress,
  role: Role,
  settings: Settings,
  pids: number[],
): Promise<number[]> {
  const ask = async (client: Client): Promise<number[]> =>
    (await client.query<{ pid: number }>(WORKING, [pids])).rows.map(({ pid }) => pid);
  return withConnection(address, role, ask, { settings, timeoutMs: ASK_MS });
}
