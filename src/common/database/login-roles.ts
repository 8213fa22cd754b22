import { createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { QueryRunner } from 'typeorm';
import { UserError } from '../user-error.js';
import { withConnection, derivedPassword, type DatabaseAddress } from './connection.js';
import { databaseFault, readDatabase, ROLES, RoleRefused, type Role } from './role-proof.js';
import { sha256 } from '../../evidence/sha256.js';

/** A right that the owner of the database lacks. The message ends with the SQL that gives it. */
class RightMissing extends UserError {
  override readonly name = 'RightMissing';

  constructor(lacks: string, sql: string[]) {
    super(`${lacks}. As a superuser:\n${sql.map((statement) => `  ${statement};`).join('\n')}`);
  }
}

interface OwnerRights {
  owner: string;
  database: string;
  superuser: boolean;
  createrole: boolean;
  /** Roles that do not exist. */
  absent: Role[];
  /** Roles that exist and that the owner is not a member of, and cannot make itself one. */
  closed: Role[];
  isFirst: boolean;
  creates: boolean;
  createsInPublic: boolean;
}

/** The first migration makes the owner a member of both roles; from PostgreSQL 16 on, that takes the admin option. */
const OWNER_RIGHTS = `
  select current_user::text as owner, current_database()::text as database, r.rolsuper as superuser, r.rolcreaterole as createrole,
    array(select name from unnest($1::text[]) name where not exists (select from pg_roles where rolname = name) order by name) as absent,
    array(select g.rolname::text from pg_roles g where g.rolname = any($1) and not r.rolsuper
      and not pg_has_role(r.oid, g.oid, case when v.sixteen then 'SET' else 'MEMBER' end)
      and not (r.rolcreaterole and not v.sixteen) and not pg_has_role(r.oid, g.oid, 'MEMBER WITH ADMIN OPTION') order by 1) as closed,
    to_regclass('public.migration') is null as "isFirst",
    has_database_privilege(current_database(), 'CREATE') as creates,
    has_schema_privilege('public', 'CREATE') as "createsInPublic"
  from pg_roles r, (select current_setting('server_version_num')::int >= 160000 as sixteen) v where r.rolname = current_user`;

/**
 * Looks before anything is changed whether the owner may do what the migrations need.
 * @returns the roles that are to be made before the first migration
 * @throws RightMissing
 */
export async function checkOwnerRights(runner: QueryRunner): Promise<Role[]> {
  const [rights] = (await runner.query(OWNER_RIGHTS, [[...ROLES]])) as OwnerRights[];
  if (!rights?.isFirst) return [];
  const { owner, database, superuser, createrole, absent, closed, creates, createsInPublic } = rights;
  const me = quoted(owner);
  if (absent.length > 0 && !superuser && !createrole)
    throw new RightMissing(`${owner} may not create the roles ${absent.join(' and ')}`, [
      ...absent.map((role) => `create role ${role} login`),
      `grant ${ROLES.join(', ')} to ${me}`,
    ]);
  if (closed.length > 0)
    throw new RightMissing(`${owner} is not a member of ${closed.join(' and ')}, which the first migration needs`, [
      `grant ${closed.join(', ')} to ${me}`,
    ]);
  if (!creates || !createsInPublic)
    throw new RightMissing(`${owner} may not create schemas and tables in the database ${database}`, [
      `grant create on database ${quoted(database)} to ${me}`,
      `grant create, usage on schema public to ${me}`,
    ]);
  return absent;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Session defaults of each role, stored with the role: a pooler in transaction mode sets none itself. */
const ROLE_SETTINGS = [`jit = 'off'`, `statement_timeout = '30s'`, `idle_in_transaction_session_timeout = '60s'`];

/** The comment on a role whose password was made from the owner's address: the next one may take its place. */
const PASSWORD_IS_OURS = `svc made its password from the address of the owner`;

/** Makes the roles, marked as ours in the same transaction, unless another database of the server came first. */
export async function makeRoles(runner: QueryRunner, roles: readonly Role[]): Promise<void> {
  for (const role of roles)
    await runner.query(`do $$ begin
      perform pg_advisory_xact_lock(hashtext('svc roles'));
      if not exists (select from pg_roles where rolname = '${role}') then
        create role ${role} login nosuperuser nocreatedb nocreaterole nobypassrls;
        comment on role ${role} is '${PASSWORD_IS_OURS}';
      end if;
    end $$`);
}

/** What settling the logins may do, and where it says what it did. */
export interface LoginOptions {
  log: (message: string) => void;
  /** Whether a password that svc did not make may be replaced: whoever logs in by it does not any more. */
  replacesPasswords: boolean;
}

/**
 * After the migrations: the owner keeps no way into the two roles, each role has its settings and can log in.
 * @returns what the owner could not do, as SQL for a superuser
 * @throws RoleRefused when a role cannot log in, or is more than it should be
 */
export async function settleLogins(
  runner: QueryRunner,
  address: DatabaseAddress,
  options: LoginOptions,
): Promise<string[]> {
  const left: string[] = [];
  const attempt = async (sql: string): Promise<void> => {
    await runner.query(sql).catch(() => left.push(sql));
  };
  const [{ database, owner, others } = { database: '', owner: '', others: false }] = (await runner.query(
    SURROUNDINGS,
  )) as { database: string; owner: string; others: boolean }[];
  for (const role of ROLES) {
    // Another database of this server may be in the middle of its first migration, which needs the membership; the next
    // start takes it away.
    if (!others && (await inherits(runner, role))) await attempt(`revoke ${role} from ${quoted(owner)}`);
    for (const setting of ROLE_SETTINGS)
      if (!(await hasSetting(runner, role, setting)))
        await attempt(`alter role ${role} in database ${quoted(database)} set ${setting}`);
    await settlePassword(runner, address, role, options);
  }
  return left;
}

export const MIGRATION_NAME = 'svc migrate';

const SURROUNDINGS = `
  select current_database()::text as database, current_user::text as owner,
    exists (select from pg_stat_activity where application_name = '${MIGRATION_NAME}' and datname <> current_database()) as others`;

async function inherits(runner: QueryRunner, role: Role): Promise<boolean> {
  const rows = (await runner.query(
    `select from pg_auth_members m join pg_roles o on o.oid = m.member
     where m.roleid = $1::regrole and o.rolname = current_user and not o.rolsuper and pg_has_role(o.oid, m.roleid, 'USAGE')`,
    [role],
  )) as unknown[];
  return rows.length > 0;
}

async function hasSetting(runner: QueryRunner, role: Role, setting: string): Promise<boolean> {
  const [name, value] = setting.replaceAll("'", '').split(' = ');
  const rows = (await runner.query(
    `select from pg_db_role_setting s where s.setrole = $1::regrole and $2 = any(s.setconfig)
     and s.setdatabase = (select oid from pg_database where datname = current_database())`,
    [role, `${name}=${value}`],
  )) as unknown[];
  return rows.length > 0;
}

/**
 * Logs in as the role. With the owner's address alone it is given the derived password, if svc made the one that it
 * has: servers that log in by another would be locked out.
 */
async function settlePassword(
  runner: QueryRunner,
  address: DatabaseAddress,
  role: Role,
  { log, replacesPasswords }: LoginOptions,
): Promise<void> {
  const logIn = async (): Promise<void> => {
    const theirs = await withConnection(address, role, readDatabase);
    const fault = databaseFault(await readDatabase(runner), theirs);
    if (fault !== undefined) throw new RoleRefused(`${role}: ${fault}`);
  };
  const hasOwnAddress = role === 'svc_app' ? address.appUrl : address.operatorUrl;
  const password = address.ownerUrl && !hasOwnAddress ? derivedPassword(address.ownerUrl, role) : undefined;
  try {
    await logIn();
    await markPassword(runner, role, password !== undefined);
  } catch (error) {
    if (password === undefined || !(error instanceof RoleRefused && error.isLogin)) throw error;
    const isOurs = (await readComment(runner, role)) === PASSWORD_IS_OURS;
    if (!isOurs && !replacesPasswords) throw new RoleRefused(passwordFault(role), true);
    await runner.query(`alter role ${role} login password '${scramVerifier(password)}'`).catch(() => {
      throw error;
    });
    await logIn();
    await markPassword(runner, role, true);
    if (!isOurs) log(`${role} has another password now, the one that is made from the owner's address`);
  }
}

const passwordFault = (role: Role): string =>
  `${role} cannot log in with the password that is made from SVC_DATABASE_URL, and has one that svc did not make. Set SVC_DATABASE_APP_URL and SVC_DATABASE_OPERATOR_URL; or run "svc migrate --replace-passwords", which locks out every server that logs in by the one it has`;

/** Keeps the comment on the role true, where nobody wrote another. An owner without the right leaves it as it is. */
async function markPassword(runner: QueryRunner, role: Role, isOurs: boolean): Promise<void> {
  const comment = await readComment(runner, role);
  if ((comment ?? PASSWORD_IS_OURS) !== PASSWORD_IS_OURS || (comment !== null) === isOurs) return;
  await runner.query(`comment on role ${role} is ${isOurs ? `'${PASSWORD_IS_OURS}'` : 'null'}`).catch(() => undefined);
}

async function readComment(runner: QueryRunner, role: Role): Promise<string | null> {
  const [row] = (await runner.query(`select shobj_description($1::regrole, 'pg_authid') as comment`, [role])) as {
    comment: string | null;
  }[];
  return row?.comment ?? null;
}

const ITERATIONS = 4096;

/**
 * What PostgreSQL stores of a password (RFC 5803): the password itself must not stand in a statement, which servers
 * log.
 */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const storedKey = sha256(keyOf('Client Key')).toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${keyOf('Server Key').toString('base64')}`;
}
