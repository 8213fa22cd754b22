import type { LoopOptions } from './load.types.js';

/**
 * What the generator of facts does: store facts over HTTP, insert the same rows by pg alone, or read addresses in turn.
 */
export type FactsPlan = LoopOptions & FactsWork;

export type FactsWork =
  | { kind: 'put'; url: string; scopes: string; tenantId: string; run: string }
  | { kind: 'insert'; databaseUrl: string; run: string; table: string; isPrepared: boolean }
  | { kind: 'get'; urls: string[]; scopes: string; tenantId: string };

/** The fact of a running number: of the run's own entity, so that each is the first of its chain. */
export const factOf = (run: string, number: number) => ({
  entity: `bench:${run}:${number}`,
  key: 'note',
  value: `Note ${number}: the meeting about the wombat enclosure moved to hall ${number % 97} on floor ${number % 11}.`,
});
