import type { Client, Pool } from 'pg';
import { DataSource, type ColumnType, type DataSourceOptions } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Settings } from '../config/settings.js';
import type { Log } from '../observability/log.js';
import { roleDataSource, withConnection, type DatabaseAddress, type Role } from './connection.js';
import { ConnectionMonitor } from './connection-monitor.js';

/** The connections of one role. */
export interface RoleConnections {
  source: DataSource;
  monitor: ConnectionMonitor;
}

export interface ConnectionsOptions {
  settings: Settings;
  log: Log;
  /** The rows that modules read and write by key, in the units of work of a tenant: those of svc_app. */
  entities: EntityClass[];
}

type EntityClass = new () => object;

/** All connections of a process to its database, but for that of the listener. */
export class Connections {
  private constructor(
    readonly app: RoleConnections,
    readonly operator: RoleConnections,
  ) {}

  /** @throws RoleRefused when a role is not what it must be, before anything is served */
  static async open(address: DatabaseAddress, { settings, log, entities }: ConnectionsOptions): Promise<Connections> {
    const open = async (role: Role): Promise<RoleConnections> => {
      const monitor = new ConnectionMonitor({
        log,
        ask: (pids) => findWorking(address, role, settings, pids),
        longestStatementMs: settings.database.statementTimeoutMs + MARGIN_MS,
      });
      return {
        monitor,
        source: await makeDataSource({
          ...roleDataSource(address, role, { settings, monitor }),
          entities: role === 'svc_app' ? entities : [],
        }).initialize(),
      };
    };
    return new Connections(...(await Promise.all([open('svc_app'), open('svc_operator')])));
  }

  async close(): Promise<void> {
    for (const { monitor } of [this.app, this.operator]) monitor.stop();
    await Promise.all([this.app.source.destroy(), this.operator.source.destroy()]);
  }
}

/** A data source whose entities may have columns of every type that the schema uses. */
export function makeDataSource(options: DataSourceOptions): DataSource {
  const source = new DataSource(options);
  source.driver.supportedDataTypes.push('pg_snapshot' as ColumnType);
  return source;
}

/** The driver's pool under TypeORM. */
export const poolOf = (source: DataSource): Pool => (source.driver as PostgresDriver).master as Pool;

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
