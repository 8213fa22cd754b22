import { createHmac } from 'node:crypto';
import type { Client, PoolConfig } from 'pg';
import { loadSettings, SettingsInvalid, type Settings } from '../config/settings.js';
import type { ConnectionMonitor } from './connection-monitor.js';
import { roleClientOf } from './role-client.js';
import type { Role } from './role-proof.js';

export type { Role } from './role-proof.js';

/** Where the database is: the owner's address, for migrations alone, and those of the two logins of the application. */
export interface DatabaseAddress {
  /** Without it nothing can be migrated. */
  ownerUrl?: string | undefined;
  /** Unset: the owner's address with the login `svc_app`; see {@link loginUrl}. */
  appUrl?: string | undefined;
  operatorUrl?: string | undefined;
  /** A way past a pooler in transaction mode, for what needs a session of its own. */
  sessionUrl?: string | undefined;
  /** A streaming standby of it, for what only reads. */
  readUrl?: string | undefined;
}

/** Injects the DatabaseAddress of the process. */
export const DATABASE_ADDRESS = Symbol('the address of the database');

/** The external database of the settings. The embedded one's address comes from the process that starts it. */
export function externalAddress(settings: Settings): DatabaseAddress | undefined {
  const { url: ownerUrl, appUrl, operatorUrl, sessionUrl, readUrl } = settings.database;
  if (ownerUrl) return { ownerUrl, appUrl, operatorUrl, sessionUrl, readUrl };
  if (!appUrl && !operatorUrl) return undefined;
  if (!appUrl || !operatorUrl)
    throw new SettingsInvalid([
      'SVC_DATABASE_APP_URL and SVC_DATABASE_OPERATOR_URL go together where SVC_DATABASE_URL is not set',
    ]);
  return { appUrl, operatorUrl, sessionUrl, readUrl };
}

/**
 * The address of a login other than the owner's: same server and database. Where the owner has a password, the login's
 * is derived from it (HMAC-SHA256 over its name), so that one address is enough; `migrate` gives the logins these
 * passwords.
 */
export function loginUrl(ownerUrl: string, role: Role): string {
  const [, scheme, user = '', rest] = /^(postgres(?:ql)?:\/\/)(?:([^@/]*)@)?(.*)$/s.exec(ownerUrl) ?? [];
  const [, password] = /:(.*)$/s.exec(user) ?? [];
  const own = password ? `:${loginPassword(decodeURIComponent(password), role)}` : '';
  return `${scheme}${role}${own}@${rest}`;
}

const loginPassword = (ownerPassword: string, role: Role): string =>
  createHmac('sha256', ownerPassword).update(`svc login ${role}`).digest('base64url');

/** The password that {@link loginUrl} derives; undefined where the owner has none. */
export function derivedPassword(ownerUrl: string, role: Role): string | undefined {
  return /:([^:@/]*)@/.exec(loginUrl(ownerUrl, role))?.[1];
}

const addressOf = (address: DatabaseAddress, role: Role): string => {
  const own = role === 'svc_app' ? address.appUrl : address.operatorUrl;
  if (own) return own;
  if (!address.ownerUrl) throw new Error(`no address for ${role}`);
  return loginUrl(address.ownerUrl, role);
};

/** The session address with the login of the role. */
const sessionAddressOf = (address: DatabaseAddress, role: Role): string =>
  address.sessionUrl ? withLogin(address.sessionUrl, address, role) : addressOf(address, role);

/** Another way to the database, with the role's own login. */
function withLogin(url: string, address: DatabaseAddress, role: Role): string {
  const [login = role] = /^postgres(?:ql)?:\/\/([^@/]*)@/.exec(addressOf(address, role))?.slice(1) ?? [];
  // A function, since a password may hold what replace() reads as a pattern.
  return url.replace(/^(postgres(?:ql)?:\/\/)(?:[^@/]*@)?/, (_, scheme: string) => `${scheme}${login}@`);
}

/** The way to the read replica as svc_app; undefined where there is none. */
export function replicaAddress(address: DatabaseAddress): DatabaseAddress | undefined {
  return address.readUrl ? { appUrl: withLogin(address.readUrl, address, 'svc_app') } : undefined;
}

export interface ConnectionOptions {
  settings: Settings;
  /** Keeps one session for itself: LISTEN, or a long transaction of the command line. */
  needsSession?: boolean;
  monitor?: ConnectionMonitor | undefined;
}

/**
 * Connection parameters as a login that owns nothing and cannot bypass row-level security (D6). Each connection proves
 * that before it serves; what a pooler could drop or mix up, start-up parameters, is not used.
 */
export function roleConnection(
  address: DatabaseAddress,
  role: Role,
  { settings, needsSession = false, monitor }: ConnectionOptions,
): PoolConfig & { Client: typeof Client } {
  const { statementTimeoutMs, connectTimeoutMs, poolSize, operatorPoolSize } = settings.database;
  const isPooled = address.sessionUrl !== undefined && !needsSession;
  return {
    connectionString: needsSession ? sessionAddressOf(address, role) : addressOf(address, role),
    application_name: `svc ${role}`,
    max: role === 'svc_app' ? poolSize : operatorPoolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // A statement of a pool is sent without waiting for those before it. What keeps a session asks it in other ways.
    pipeline: !needsSession,
    Client: roleClientOf({ role, statementTimeoutMs, isPooled, ...(monitor ? { monitor } : {}) }),
  };
}

/** How often the kernels at both ends probe idle connections. */
const KEEP_ALIVE_MS = 5_000;

/** A connection of its own, for the length of some work. `timeoutMs` bounds the connecting and each statement. */
export async function withConnection<T>(
  address: DatabaseAddress,
  role: Role,
  work: (client: Client) => Promise<T>,
  { settings = loadSettings(), timeoutMs }: { settings?: Settings; timeoutMs?: number } = {},
): Promise<T> {
  const { Client: RoleClient, ...config } = roleConnection(address, role, { settings, needsSession: true });
  const bounds = timeoutMs ? { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs } : {};
  const client = new RoleClient({ ...config, ...bounds });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
