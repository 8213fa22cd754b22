import { AsyncLocalStorage } from 'node:async_hooks';

/** A request that changes nothing: GET or HEAD. */
interface Reading {
  /** Whether who asks was found out, on the primary. */
  isAdmitted: boolean;
}

const reading = new AsyncLocalStorage<Reading>();

/** What runs in `work` changes nothing. It needs no place among the writes. */
export const asRead = <T>(work: () => T): T => reading.run({ isAdmitted: false }, work);

export const isReading = (): boolean => reading.getStore() !== undefined;

/** The guards have let the request in: what it reads from here on may come from a replica. */
export function admitRead(): void {
  const open = reading.getStore();
  if (open) open.isAdmitted = true;
}

export const mayReadReplica = (): boolean => reading.getStore()?.isAdmitted ?? false;
