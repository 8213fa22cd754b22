import { problem } from '../../../../common/problem/problem.js';
import type { RootKind } from './blast-radius.types.js';

/** What the walk is to begin at is not there. */
export class RadiusRootUnknown extends problem<{ kind: RootKind; id: string }>(
  404,
  'RadiusRootUnknown',
  'There is nothing of this kind and id',
) {}

export class RadiusUnknown extends problem<{ radius_id: string | null }>(
  404,
  'RadiusUnknown',
  'The incident has no such blast radius',
) {}

export class RadiusTooLarge extends problem<{ nodes: number; edges: number }>(
  409,
  'RadiusTooLarge',
  'More rests on it than one walk holds',
) {}

/** It was not applied, or is undone already. */
export class NothingSetAside extends problem<{ radius_id: string }>(
  409,
  'NothingSetAside',
  'Nothing is set aside by this blast radius',
) {}
