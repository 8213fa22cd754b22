/** What travels, for who exchanges it with peers. */
export type { CollectionDiff, CollectionPage, CollectionQuery, SyncRecord } from './sync.dto.js';
export type { SyncManifest } from './sync-manifest.dto.js';
export { manifestBytes, named, pageDigest, unnamed } from './sync-digests.rules.js';
export { arePartsOf, isTarget, keyOf } from './sync-ids.rules.js';
export { MAX_ALIVE } from './sync-plan.rules.js';
export { GrowingRoot } from './sync-root.rules.js';
