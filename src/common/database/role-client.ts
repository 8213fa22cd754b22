import { Client, type ClientConfig } from 'pg';
import type { ConnectionMonitor } from './connection-monitor.js';
import { tracedQuery } from './traced-query.js';
import {
  isLoginRefusal,
  loginFault,
  RoleRefused,
  ROLE_FACTS,
  roleFault,
  type Role,
  type RoleFacts,
} from './role-proof.js';

/** How connections of one role begin. */
export interface RoleSession {
  role: Role;
  statementTimeoutMs: number;
  /**
   * Whether a pooler gives each transaction another session: settings then come from the role, not from the connection.
   */
  isPooled: boolean;
  /** Ends connections that were lost silently; commands of the command line run without it. */
  monitor?: ConnectionMonitor;
}

/** What a new connection learns in its first round trip. */
interface Greeting extends RoleFacts {
  pid: number;
  jit: string;
  statement_timeout: string;
}

const SETTINGS = `set_config('statement_timeout', $1, false), set_config('idle_in_transaction_session_timeout', '60000', false),
  set_config('search_path', 'public', false), set_config('jit', 'off', false)`;

const greeting = (settings: string): string => `
  select pg_backend_pid() as pid, f.*, ${settings}current_setting('jit') as jit, current_setting('statement_timeout') as statement_timeout
  from (${ROLE_FACTS}) f`;

/**
 * The client class of a role's connections. Nothing is asked of the server by start-up parameters, which a pooler may
 * drop: in its first round trip a connection sets what it needs and proves that it is the role and can become no other.
 * `connect` rejects, and nothing is served, when it is not.
 */
export function roleClientOf(session: RoleSession): typeof Client {
  return class extends Client {
    backendPid: number | undefined;
    /** Whether the role was proved. */
    isOpen = false;

    constructor(config?: string | ClientConfig) {
      super(config);
      // Heard by nobody, an error would end the process, and there are moments between two owners: a pool hands the
      // connection over, and the next message from the server is its end. Statements on it are rejected all the same,
      // and the pool drops it.
      this.on('error', ignore);
      session.monitor?.watch(this);
    }

    override connect(): Promise<Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<Client> | void {
      const connected = this.open();
      if (!callback) return connected;
      connected.then(() => callback(undefined as unknown as Error), callback);
    }

    // The driver calls it with a callback too, and with objects that stream.
    override query = tracedQuery(super.query.bind(this)) as Client['query'];

    private async open(): Promise<Client> {
      try {
        await super.connect();
        this.backendPid = await prove(this, session);
        this.isOpen = true;
        return this;
      } catch (error) {
        this.end().catch(ignore);
        throw isLoginRefusal(error) ? new RoleRefused(loginFault(session.role, error), true) : error;
      }
    }
  };
}

const ignore = (): void => undefined;

/** @returns the process id of the server's session, where the connection keeps one */
async function prove(client: Client, { role, statementTimeoutMs, isPooled }: RoleSession): Promise<number | undefined> {
  const { rows } = isPooled
    ? await client.query<Greeting>(greeting(''))
    : await client.query<Greeting>(greeting(`${SETTINGS}, `), [String(statementTimeoutMs)]);
  const [facts] = rows;
  const fault = roleFault(role, facts) ?? (isPooled && facts ? settingsFault(role, facts) : undefined);
  if (fault) throw new RoleRefused(fault);
  return isPooled ? undefined : facts?.pid;
}

function settingsFault(role: Role, { jit, statement_timeout }: Greeting): string | undefined {
  if (jit === 'off' && statement_timeout !== '0') return undefined;
  return `${role} connects through a pooler in transaction mode and has no settings of its own. Run "svc migrate" as an owner that may alter it, or: alter role ${role} set jit = off; alter role ${role} set statement_timeout = '30s'`;
}
