import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

/** The driver's pool under TypeORM. */
export const poolOf = (source: DataSource): Pool => (source.driver as PostgresDriver).master as Pool;
