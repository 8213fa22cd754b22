import type { INestApplicationContext } from '@nestjs/common';
import { makeLog } from '../common/observability/log.js';
import { Metrics } from '../common/observability/metrics.js';
import { Problem } from '../common/problem/problem.js';
import { withMigratedDatabase, type MigratedDatabase } from './migrated.js';
import { UserError } from './output.js';

/**
 * Lets a verb act by the services of the API, in one process for the length of the work. It signs receipts, so it needs
 * the signing key that the API has.
 */
export function asOperator<T>(
  work: (services: INestApplicationContext, database: MigratedDatabase) => Promise<T>,
): Promise<T> {
  return withMigratedDatabase(async (database) => {
    const { settings, address } = database;
    const { openOperator } = await import('../apps/operator.app.js');
    const quiet = { ...settings, process: { ...settings.process, logLevel: 'error' as const } };
    const log = makeLog(quiet, 'cli', true);
    const services = await openOperator({ settings, address, log, metrics: new Metrics() });
    try {
      return await work(services, database);
    } catch (error) {
      throw error instanceof Problem ? new UserError(sentenceOf(error)) : error;
    } finally {
      await services.close();
    }
  });
}

const sentenceOf = ({ kind, message }: Problem): string => (message === '' ? kind.title : `${kind.title}: ${message}`);
