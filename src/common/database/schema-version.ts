import { escapeLiteral } from 'pg';
import { MIGRATIONS } from '../../migrations/index.js';
import { readBuild } from '../build-info.js';
import { UserError } from '../user-error.js';

/** One statement, by any role: the record of migrations is open to all of them. */
export type AskSchema = <Row extends object>(sql: string) => Promise<Row[]>;

/** What the database has run, compared with the migrations of this program. */
export interface SchemaState {
  missing: string[];
  /** Those of a newer svc. */
  unknown: string[];
  /** The version that ran the newest ones, where it is recorded. */
  migratedBy?: string;
  /** The number of the migration that a program must know to work here; read where some are unknown. */
  oldestProgram?: number;
}

/** Holds the database's record of migrations against those of this program. */
export async function readSchemaState(ask: AskSchema): Promise<SchemaState> {
  const rows = await ask<{ name: string; migrated_by: string | null; has_number: boolean }>(STATE);
  const own = MIGRATIONS.map((migration) => migration.name);
  const done = rows.map(({ name }) => name);
  const unknown = done.filter((name) => !own.includes(name));
  const [found] =
    unknown.length > 0 && rows[0]?.has_number ? await ask<{ oldest_program: string }>(OLDEST_PROGRAM) : [];
  return {
    missing: own.filter((name) => !done.includes(name)),
    unknown,
    migratedBy: rows[0]?.migrated_by ?? undefined,
    ...(found ? { oldestProgram: Number(found.oldest_program) } : {}),
  };
}

/** What a program that is older than the schema says of it; undefined when it knows every migration. */
export function describeNewerSchema({ unknown, migratedBy }: SchemaState): string | undefined {
  if (unknown.length === 0) return undefined;
  const newer = migratedBy ? `svc ${migratedBy}` : 'a newer svc';
  const named = unknown.slice(0, MAX_NAMED).join(', ') + (unknown.length > MAX_NAMED ? ', ...' : '');
  return `The database was migrated by ${newer}, and this svc ${ownVersion()} does not know ${named}`;
}

/** Why this program must not work on the schema as it is; undefined when it may. */
export function findSchemaFault(state: SchemaState): string | undefined {
  const { missing } = state;
  if (missing.length > 0 && state.unknown.length === 0)
    return `${missing.length} migration(s) have not run; run "svc migrate"`;
  return findNewerFault(state);
}

/** A newer schema takes an older program as long as it holds all that the program uses (docs/decisions/0360). */
function findNewerFault(state: SchemaState): string | undefined {
  const newer = describeNewerSchema(state);
  if (newer === undefined) return undefined;
  const { oldestProgram, missing } = state;
  if (missing.length > 0) return `${newer}; that one does not know ${missing[0]}`;
  if (oldestProgram !== undefined && oldestProgram <= NEWEST) return undefined;
  return `${newer}; the schema takes programs from migration ${oldestProgram ?? 'unknown'} on, this one ends at ${NEWEST}`;
}

/**
 * @returns what to say where the schema is newer than this program and takes it: nothing is to be done there then
 * @throws UserError saying which svc is needed, when it is newer and does not
 */
export async function acceptNewerSchema(ask: AskSchema): Promise<string | undefined> {
  const state = await readAnySchemaState(ask);
  if (state === undefined) return undefined;
  const fault = findNewerFault(state);
  if (fault !== undefined) throw needsNewerSvc(fault, state);
  const newer = describeNewerSchema(state);
  return newer && `${newer}; the schema takes this version until the upgrade is over`;
}

/**
 * For what has to know all that there is.
 * @throws UserError saying which svc is needed, when the schema is newer than this program
 */
export async function refuseNewerSchema(ask: AskSchema): Promise<void> {
  const state = await readAnySchemaState(ask);
  const newer = state && describeNewerSchema(state);
  if (newer !== undefined) throw needsNewerSvc(newer, state!);
}

async function readAnySchemaState(ask: AskSchema): Promise<SchemaState | undefined> {
  const [found] = await ask<{ exists: boolean }>(`select to_regclass('migration') is not null as exists`);
  return found?.exists ? readSchemaState(ask) : undefined;
}

function needsNewerSvc(why: string, { migratedBy }: SchemaState): UserError {
  const needed = migratedBy ? `svc ${migratedBy} or newer` : 'the svc that migrated it';
  return new UserError(
    `${why}. Use ${needed}; to stay with this version, restore a backup made before the upgrade into a new database (docs/upgrade.md, "The way back").`,
  );
}

/** With the commit, where it is known: builds between two releases bear the version of the one before. */
function ownVersion(): string {
  const { version, commit } = readBuild();
  return commit ? `${version} (${commit.slice(0, 12)})` : version;
}

/** To be run with the migrations, so that an older program can say which version it would take. */
export const recordVersion = (): string => `comment on table migration is ${escapeLiteral(ownVersion())}`;

const MAX_NAMED = 3;

/** The number of this program: that of its newest migration. */
const NEWEST = Math.max(...MIGRATIONS.map((migration) => Number(/\d{13}$/.exec(migration.name)?.[0])));

const STATE = `
  select name, obj_description('migration'::regclass, 'pg_class') as migrated_by,
    to_regclass('schema_compatibility') is not null as has_number
  from migration order by id`;

const OLDEST_PROGRAM = 'select oldest_program::text from schema_compatibility';
