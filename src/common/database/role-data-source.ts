import type { DataSourceOptions } from 'typeorm';
import { type ConnectionOptions, type DatabaseAddress, type Role, roleConnection } from './connection.js';
import { SnakeCaseNaming } from './snake-case-naming.js';

/** What `roleConnection` is, for TypeORM. Apart from it, so that who only connects does not load TypeORM. */
export function roleDataSource(address: DatabaseAddress, role: Role, options: ConnectionOptions): DataSourceOptions {
  const { connectionString, application_name, max, ...extra } = roleConnection(address, role, options);
  return {
    type: 'postgres',
    url: connectionString,
    applicationName: application_name,
    poolSize: max,
    extra,
    namingStrategy: new SnakeCaseNaming(),
    synchronize: false,
    // The login may not, and migrations made all that the schema needs.
    installExtensions: false,
    logging: false,
  };
}
