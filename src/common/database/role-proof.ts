import { UserError } from '../user-error.js';

/** The two logins of the application (docs/decisions/0001, 0105). */
export const ROLES = ['svc_app', 'svc_operator'] as const;
export type Role = (typeof ROLES)[number];

/** What the server says of the role that a connection logged in as. */
export interface RoleFacts {
  current: string;
  session: string;
  /** Attributes that reach past row-level security, or lead to a role that does. */
  attributes: string[];
  memberships: string[];
  owns: boolean;
  /** Name and oid of the database, and the start of its server: equal for connections to one database alone. */
  database: string;
}

/** @see RoleFacts.database */
const DATABASE = `(select concat_ws(' ', datname, oid, pg_postmaster_start_time()) from pg_database where datname = current_database())`;

/** One row of {@link RoleFacts}. What a role owns stands in pg_shdepend with type `o` (PostgreSQL manual, 53.52). */
export const ROLE_FACTS = `
  select current_user::text as current, session_user::text as session,
    array_remove(array[case when r.rolsuper then 'superuser' end, case when r.rolbypassrls then 'bypassrls' end,
      case when r.rolcreaterole then 'createrole' end, case when r.rolreplication then 'replication' end], null) as attributes,
    array(select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid order by 1) as memberships,
    exists (select from pg_shdepend d where d.refclassid = 'pg_authid'::regclass and d.refobjid = r.oid and d.deptype = 'o'
      and d.dbid in (0, (select oid from pg_database where datname = current_database()))) as owns, ${DATABASE} as database
  from pg_roles r where r.rolname = session_user`;

/** Shows statistics and no rows of tables; replicated commits need it. */
const STATISTICS_ROLE = 'pg_monitor';

/** The connection is not the role it was opened as, or cannot log in as it: it serves nothing. */
export class RoleRefused extends UserError {
  override readonly name = 'RoleRefused';

  /** @param isLogin whether the server refused the login itself */
  constructor(
    message: string,
    readonly isLogin = false,
  ) {
    super(message);
  }
}

/** Class 28 of PostgreSQL's error codes: invalid authorization. */
export const isLoginRefusal = (error: unknown): error is Error =>
  error instanceof Error && /^28/.test(String((error as NodeJS.ErrnoException).code));

/** What to do about a refused login. */
export const loginFault = (role: Role, { message }: Error): string =>
  `${role} cannot log in (${message}). As a superuser: alter role ${role} login password '...', and let ${settingOf(role)} name that login and password`;

const settingOf = (role: Role): string => (role === 'svc_app' ? 'SVC_DATABASE_APP_URL' : 'SVC_DATABASE_OPERATOR_URL');

/** @see RoleFacts.database */
export async function readDatabase(client: { query(sql: string): Promise<unknown> }): Promise<string | undefined> {
  const answer = (await client.query(`select ${DATABASE} as database`)) as Where[] | { rows: Where[] };
  return (Array.isArray(answer) ? answer : answer.rows)[0]?.database;
}
type Where = Pick<RoleFacts, 'database'>;

/** @returns that the connections of two roles lead to different databases; undefined where they lead to one */
export const databaseFault = (one: string | undefined, other: string | undefined): string | undefined =>
  one === other
    ? undefined
    : 'the addresses lead to different databases: let SVC_DATABASE_APP_URL, SVC_DATABASE_OPERATOR_URL and SVC_DATABASE_URL name the same server and database';

/** @returns why a connection must not serve as `role`, with the remedy; undefined when it may */
export function roleFault(role: Role, facts: RoleFacts | undefined): string | undefined {
  if (!facts || facts.session !== role)
    return `logged in as ${facts?.session ?? 'nobody known'}, not as ${role}: let ${settingOf(role)} name the login ${role} itself, also behind a pooler`;
  if (facts.current !== role)
    return `acts as ${facts.current}, not as ${role}: remove "role" from the settings of ${role}`;
  const { attributes, owns } = facts;
  const memberships = facts.memberships.filter((name) => name !== STATISTICS_ROLE);
  if (attributes.length > 0)
    return `${role} has ${attributes.join(', ')}: alter role ${role} ${attributes.map((name) => `no${name}`).join(' ')}`;
  if (memberships.length > 0)
    return `${role} is a member of ${memberships.join(', ')}: revoke ${memberships.join(', ')} from ${role}`;
  return owns ? `${role} owns objects of this database: reassign owned by ${role} to the owner` : undefined;
}
