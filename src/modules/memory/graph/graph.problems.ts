import { problem } from '../../../common/problem/problem.js';

/** There is none, or it was deleted: then `deleted_version` says with which version. */
export class EntityUnknown extends problem<{ kind: string; id: string; deleted_version?: number }>(
  404,
  'EntityUnknown',
  'There is no such entity',
) {}

/** The change is meant for another version; `version` is the present one, 0 where nothing was ever stored. */
export class EntityChanged extends problem<{ kind: string; id: string; version: number }>(
  409,
  'EntityChanged',
  'The entity has changed meanwhile',
) {}

export class EdgeUnknown extends problem(404, 'EdgeUnknown', 'There is no such edge') {}
export class KindUnknown extends problem<{ kind: string }>(
  404,
  'KindUnknown',
  'No entity and no edge is of this kind',
) {}
