import type { Obstacle } from './candidates.problems.js';

/** What a promotion is decided by. */
export interface Asking {
  confidence: number;
  holdsSecret: boolean;
  autoThreshold: number;
  reviewer: string | undefined;
  /** What the request takes the place of. */
  supersedes: readonly string[];
  /** A fact that says the same. */
  duplicateOf: string | null;
  /** Facts and pending candidates of the same name with another value, now. */
  conflictsWith: readonly string[];
}

/** What keeps a candidate from being promoted, with the remedy; undefined: nothing. */
export function obstacleOf(asking: Asking): { obstacle: Obstacle; remedy: string } | undefined {
  const { confidence, autoThreshold, reviewer, supersedes, conflictsWith } = asking;
  if (asking.holdsSecret)
    return { obstacle: 'secret_found', remedy: 'A credential was masked in it; PATCH it to words without one' };
  if (reviewer === undefined && confidence < Math.fround(autoThreshold))
    return {
      obstacle: 'below_threshold',
      remedy: `Its confidence ${confidence.toPrecision(3)} is below auto_threshold ${autoThreshold}; name the reviewer who looked at it`,
    };
  if (asking.duplicateOf !== null)
    return { obstacle: 'duplicate', remedy: `The fact ${asking.duplicateOf} says that already; reject it` };
  const named = new Set(supersedes.map((id) => id.toLowerCase()));
  const open = conflictsWith.filter((id) => !named.has(id));
  if (open.length === 0) return undefined;
  return {
    obstacle: 'conflict',
    remedy: `Another value is there under the same entity and key; name in supersedes what it takes the place of: ${open.join(', ')}`,
  };
}
