import { Command } from 'commander';
import type { DatabaseAddress } from '../common/database/connection.js';
import { loadSettings } from '../common/config/settings.js';
import type { PreparationMessage } from '../apps/supervisor/messages.js';
import { UsageError } from './output.js';

/** For the supervisor alone: prepares the database whose address it sends, answers, and ends. */
export const prepareCommand = (): Command =>
  new Command('prepare').action(async () => {
    if (!process.send) throw new UsageError('svc start runs this itself; to migrate by hand, run svc migrate');
    const address = new Promise<DatabaseAddress>((resolve) =>
      process.once('message', (message) => resolve(message as DatabaseAddress)),
    );
    process.once('disconnect', () => process.exit(1));
    // Loaded while the database comes up.
    const { prepareDatabase } = await import('../apps/supervisor/prepare-database.js');
    await send(
      await prepareDatabase(loadSettings(), await address, (log) => void send({ log })).then(
        (made) => ({ made: made ?? null }),
        describe,
      ),
    );
    process.exit();
  });

async function describe(error: unknown): Promise<PreparationMessage> {
  const { explainFailure } = await import('./failure.js');
  return { failed: explainFailure(error) ?? (error instanceof Error ? error.stack : undefined) ?? String(error) };
}

const send = (message: PreparationMessage): Promise<void> =>
  new Promise((resolve) => process.send!(message, () => resolve()));
