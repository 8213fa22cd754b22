import type { Credentials } from '../../common/database/credentials-file.js';

/** From the supervisor to an app over the IPC channel: the database is migrated, open. */
export const GO = 'go';

/** From the supervisor to the apps before it stops them: they are not ready from then on. */
export const STOP_SOON = 'stop soon';

/** From the supervisor to an app: drain, and end. */
export const STOP = 'stop';

/** From the process that prepares the database to the supervisor: what it does, then what became of it. */
export type PreparationMessage = { log: string } | { made: Credentials | null } | { failed: string };

/** From an app to the supervisor: it listens at this address. */
export interface ReadyMessage {
  ready: string;
}

export function isReady(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && 'ready' in message && typeof message.ready === 'string';
}
