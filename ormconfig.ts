import { DataSource } from 'typeorm';
import { loadSettings } from './src/common/config/settings.js';
import { MIGRATIONS } from './src/migrations/index.js';

/** For the TypeORM command line, as the owner of the database in SVC_DATABASE_URL. The product itself runs migrations with `svc migrate`. */
export default new DataSource({
  type: 'postgres',
  url: loadSettings().database.url,
  migrations: MIGRATIONS,
  migrationsTableName: 'migration',
});
