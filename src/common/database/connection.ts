import type { DataSourceOptions } from 'typeorm';
import type { PoolConfig } from 'pg';
import type { Settings } from '../config/settings.js';

export type Role = 'svc_app' | 'svc_operator';

/** Where the database is: the owner's address, and those of the two roles where they are given separately. */
export interface DatabaseAddress {
  ownerUrl: string;
  appUrl?: string;
  operatorUrl?: string;
}

/** The external database of the settings. The embedded one's address comes from the process that starts it. */
export function externalAddress(settings: Settings): DatabaseAddress | undefined {
  const { url, appUrl, operatorUrl } = settings.database;
  return url ? { ownerUrl: url, appUrl, operatorUrl } : undefined;
}

/**
 * Connection parameters as a role that owns nothing and cannot bypass row-level security (D6). With an address of its own the
 * role is that login; otherwise the connection starts as the role, so that RESET ROLE leads back to it and not to the owner.
 */
export function roleConnection(address: DatabaseAddress, role: Role, settings: Settings): PoolConfig {
  const own = role === 'svc_app' ? address.appUrl : address.operatorUrl;
  const { statementTimeoutMs, connectTimeoutMs, poolSize, operatorPoolSize } = settings.database;
  return {
    connectionString: own ?? address.ownerUrl,
    application_name: `svc ${role}`,
    max: role === 'svc_app' ? poolSize : operatorPoolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    options: [
      own ? '' : `-c role=${role}`,
      `-c statement_timeout=${statementTimeoutMs}`,
      '-c idle_in_transaction_session_timeout=60000',
      '-c search_path=public',
    ]
      .join(' ')
      .trim(),
  };
}

/** The same for TypeORM. */
export function roleDataSource(address: DatabaseAddress, role: Role, settings: Settings): DataSourceOptions {
  const { connectionString, application_name, max, ...extra } = roleConnection(address, role, settings);
  return {
    type: 'postgres',
    url: connectionString,
    applicationName: application_name,
    poolSize: max,
    extra,
    synchronize: false,
    logging: false,
  };
}
