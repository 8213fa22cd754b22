import type { LoopOptions } from './load.types.js';

/** What the generator of facts is told: to store facts over HTTP, to insert the same rows by pg alone, or to read addresses in turn. */
export type FactsPlan = LoopOptions & FactsWork;

export type FactsWork =
  | { kind: 'put'; url: string; scopes: string; tenantId: string; run: string }
  | { kind: 'insert'; databaseUrl: string; run: string; table: string; isPrepared: boolean }
  | { kind: 'get'; urls: string[]; scopes: string; tenantId: string };

/** The fact of a running number: of the run's own entity, so that each is the first of its chain. */
export const factOf = (run: string, number: number) => ({
  entity: `bench:${run}:${number}`,
  key: 'note',
  value: `Note ${number}: the meeting about the wombat enclosure moved to room ${number % 97} on floor ${number % 11}.`,
});
