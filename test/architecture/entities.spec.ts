import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DataSource } from 'typeorm';
import { RdbmsSchemaBuilder } from 'typeorm/schema-builder/RdbmsSchemaBuilder.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTITIES } from '../../src/apps/entities.js';
import { makeDataSource } from '../../src/common/database/connections.js';
import { SnakeCaseNaming } from '../../src/common/database/snake-case-naming.js';
import { freshDatabase, type TestDatabase } from '../kit/database.js';

const COMPILED = join(import.meta.dirname, '../../build');

/** TypeORM's schema builder for what entities describe: tables, columns and keys. */
class ColumnSchemaBuilder extends RdbmsSchemaBuilder {
  // Constraints and indexes stand in the migrations alone; test/golden/schema.sql shows them.
  protected override dropOldForeignKeys = () => Promise.resolve();
  protected override dropOldIndices = () => Promise.resolve();
  protected override dropOldChecks = () => Promise.resolve();
  protected override dropOldExclusions = () => Promise.resolve();
  protected override dropCompositeUniqueConstraints = () => Promise.resolve();
}

let database: TestDatabase;
let source: DataSource;

/** @returns the statements that would bring the database to what the entities say */
const findDifferences = async (): Promise<string[]> =>
  (await new ColumnSchemaBuilder(source).log()).upQueries.map(({ query }) => query);

beforeAll(async () => {
  database = await freshDatabase();
  const { url } = database;
  source = makeDataSource({ type: 'postgres', url, entities: ENTITIES, namingStrategy: new SnakeCaseNaming() });
  await source.initialize();
});
afterAll(async () => {
  await source.destroy();
  await database.drop();
});

describe('entities', () => {
  it('say what the migrated database has, column by column', async () => {
    expect(await findDifferences()).toEqual([]);
  });

  it('are all listed', async () => {
    const files = readdirSync(COMPILED, { recursive: true, encoding: 'utf8' });
    const declared = files
      .filter((file) => file.endsWith('.entity.js'))
      .map((file) => import(pathToFileURL(join(COMPILED, file)).href));
    const classes = (await Promise.all(declared)).flatMap((module) => Object.values(module as object));
    expect(new Set(classes.filter((value) => typeof value === 'function'))).toEqual(new Set(ENTITIES));
  });
});

describe('the comparison', () => {
  it.each([
    ['a column that an entity lacks', 'extra', 'alter table seat add column extra text'],
    ['another type', 'invite_issuer', 'alter table seat alter column invite_issuer type varchar(80)'],
    ['another nullability', 'user_email', 'alter table seat alter column user_email drop not null'],
    ['another default', 'invited_at', 'alter table seat alter column invited_at set default clock_timestamp()'],
  ])('sees %s', async (_, column, change) => {
    const runner = source.createQueryRunner();
    await runner.query(change);
    await runner.release();
    expect(await findDifferences()).toContainEqual(expect.stringContaining(`"${column}"`));
  });
});
