import type { LeaseMode } from '../leases/lease-states.types.js';
import type { LeaseRow } from '../leases/leases.types.js';
import type { Resource } from './resources.rules.js';

/** What somebody asks for. */
export interface Asked {
  resource: Resource;
  mode: LeaseMode;
  /** The passport that would hold it. */
  holder: string;
}

/** A live punchcard with its resource read. */
export interface LiveCard {
  lease: LeaseRow;
  resource: Resource;
}

/** Most live punchcards of a tenant, and of one holder: each is compared with whatever is acquired. */
export const MAX_OF_TENANT = 2000;
export const MAX_OF_HOLDER = 500;
/** Most of the punchcards that stand in the way that one answer names. */
export const MAX_NAMED = 20;
/** Most paths that are checked at once. */
export const MAX_PATHS = 1000;
