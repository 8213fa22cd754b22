import { databaseSetting, integer, setting } from './setting.js';

/** Where the database is and how it is asked, a group of the table in settings.ts. */
export const DATABASE_SETTINGS = {
  url: databaseSetting(
    'SVC_DATABASE_URL',
    'The PostgreSQL (15 or newer) to use, as its owner, who migrates it. Unset, and the next two too: an embedded PostgreSQL in the data directory.',
  ),
  appUrl: databaseSetting(
    'SVC_DATABASE_APP_URL',
    'The same database with the login svc_app, which the application works as.',
    { shownDefault: "SVC_DATABASE_URL with that login and a password derived from the owner's" },
  ),
  operatorUrl: databaseSetting(
    'SVC_DATABASE_OPERATOR_URL',
    'The same database with the login svc_operator, for work across tenants. With these two and without SVC_DATABASE_URL a process serves and does not migrate.',
    { shownDefault: "SVC_DATABASE_URL with that login and a password derived from the owner's" },
  ),
  sessionUrl: databaseSetting(
    'SVC_DATABASE_SESSION_URL',
    'Where the two addresses above lead through a pooler in transaction mode: an address that keeps sessions, for LISTEN. Its login is not used.',
  ),
  readUrl: databaseSetting(
    'SVC_DATABASE_READ_URL',
    'A streaming standby of the same database, which answers what only reads once it has all that was acknowledged (docs/fleet.md). One server, not through a pooler in transaction mode. Its login is not used.',
  ),
  readWaitMs: setting(
    'SVC_DATABASE_READ_WAIT_MS',
    integer(100, 0, 10_000),
    'How long a read waits for the standby to have replayed what was acknowledged before the primary is asked, in milliseconds.',
  ),
  poolSize: setting('SVC_DATABASE_POOL_SIZE', integer(14, 2, 500), 'Connections a process keeps for tenant work.'),
  operatorPoolSize: setting(
    'SVC_DATABASE_OPERATOR_POOL_SIZE',
    integer(4, 1, 100),
    'Connections a process keeps for cross-tenant work and the job queue.',
  ),
  statementTimeoutMs: setting(
    'SVC_DATABASE_STATEMENT_TIMEOUT_MS',
    integer(30_000, 100, 3_600_000),
    'A statement that runs longer is cancelled, in milliseconds.',
  ),
  connectTimeoutMs: setting(
    'SVC_DATABASE_CONNECT_TIMEOUT_MS',
    integer(3_000, 100, 60_000),
    'How long a request waits for a connection before it answers 503, in milliseconds; a write that waits its turn behind others that end, five times as long.',
  ),
};
