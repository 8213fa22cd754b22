/** How other modules of coordination read and compare paths: as punchcards do. */
export { doOverlap, hasWildcards, MAX_RESOURCE, readResource, storedResource } from './resources.rules.js';
export type { Resource } from './resources.rules.js';
