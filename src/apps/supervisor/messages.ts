/** What the supervisor tells an app over the IPC channel: the database is migrated, open. */
export const GO = 'go';

/** What an app tells the supervisor: it listens at this address. */
export interface ReadyMessage {
  ready: string;
}

export function isReady(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && 'ready' in message && typeof message.ready === 'string';
}
