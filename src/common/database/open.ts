import type { Settings } from '../config/settings.js';
import { externalAddress, type DatabaseAddress } from './connection.js';
import { findEmbedded, startEmbedded } from './embedded/embedded.js';
import type { ServerUse } from './embedded/server-settings.js';

export interface OpenDatabase {
  address: DatabaseAddress;
  /** Whether it is the embedded one of the data directory. */
  embedded: boolean;
  /** Whether this process started it: no other one was running it. */
  started: boolean;
  /** Ends this process's use; the embedded server stops with its last user. */
  close(): Promise<void>;
}

/** The database of the settings: the external one, or the embedded one, started when no other process runs it. */
export async function openDatabase(
  settings: Settings,
  log: (message: string) => void,
  use: Pick<ServerUse, 'bulkLoad'> = {},
): Promise<OpenDatabase> {
  const address = externalAddress(settings);
  if (address) return { address, embedded: false, started: false, close: () => Promise.resolve() };
  const server = await startEmbedded({ dataDir: settings.process.dataDir, log, ...use });
  return { address: { ownerUrl: server.url }, embedded: true, started: !server.adopted, close: () => server.stop() };
}

/** The database of the settings as it is there now: nothing is started, and nothing is kept from stopping. */
export function findDatabase(settings: Settings): DatabaseAddress | undefined {
  const address = externalAddress(settings);
  if (address) return address;
  const ownerUrl = findEmbedded(settings.process.dataDir);
  return ownerUrl === undefined ? undefined : { ownerUrl };
}
