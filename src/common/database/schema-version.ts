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
}

export async function readSchemaState(ask: AskSchema): Promise<SchemaState> {
  const rows = await ask<{ name: string; migrated_by: string | null }>(STATE);
  const own = MIGRATIONS.map((migration) => migration.name);
  const done = rows.map(({ name }) => name);
  return {
    missing: own.filter((name) => !done.includes(name)),
    unknown: done.filter((name) => !own.includes(name)),
    migratedBy: rows[0]?.migrated_by ?? undefined,
  };
}

/** What a program that is older than the schema says of it; undefined when it knows every migration. */
export function describeNewerSchema({ unknown, migratedBy }: SchemaState): string | undefined {
  if (unknown.length === 0) return undefined;
  const newer = migratedBy ? `svc ${migratedBy}` : 'a newer svc';
  const named = unknown.slice(0, MAX_NAMED).join(', ') + (unknown.length > MAX_NAMED ? ', ...' : '');
  return `The database was migrated by ${newer}, and this svc ${ownVersion()} does not know ${named}`;
}

/**
 * An older program starts over no newer schema (docs/decisions/0120).
 * @throws UserError saying which svc is needed
 */
export async function refuseNewerSchema(ask: AskSchema): Promise<void> {
  const [found] = await ask<{ exists: boolean }>(`select to_regclass('migration') is not null as exists`);
  if (!found?.exists) return;
  const state = await readSchemaState(ask);
  const newer = describeNewerSchema(state);
  if (newer === undefined) return;
  const needed = state.migratedBy ? `svc ${state.migratedBy} or newer` : 'the svc that migrated it';
  throw new UserError(
    `${newer}. Use ${needed}; to stay with this version, restore a backup made before the upgrade into a new database (docs/upgrade.md, "The way back").`,
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

const STATE = `select name, obj_description('migration'::regclass, 'pg_class') as migrated_by from migration order by id`;
