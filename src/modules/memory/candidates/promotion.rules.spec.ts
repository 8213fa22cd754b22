import { expect, it } from 'vitest';
import { type Asking, obstacleOf } from './promotion.rules.js';

const asking: Asking = {
  ...{ confidence: 0.5, holdsSecret: false, autoThreshold: 0, reviewer: undefined },
  ...{ supersedes: [], duplicateOf: null, conflictsWith: [] },
};

it.each<[string, Partial<Asking>, string | undefined]>([
  ['nothing is in the way', {}, undefined],
  ['a secret is', { holdsSecret: true, reviewer: 'ada' }, 'secret_found'],
  ['too little confidence is', { autoThreshold: 0.6 }, 'below_threshold'],
  ['a reviewer makes up for it', { autoThreshold: 0.6, reviewer: 'ada' }, undefined],
  ['the threshold itself is enough', { confidence: Math.fround(0.9), autoThreshold: 0.9 }, undefined],
  ['a fact that says the same is', { duplicateOf: 'f' }, 'duplicate'],
  ['a conflict is', { conflictsWith: ['f'] }, 'conflict'],
  ['one that is named only in part is', { conflictsWith: ['f', 'g'], supersedes: ['f'] }, 'conflict'],
  ['one that is named is not', { conflictsWith: ['f'], supersedes: ['F', 'x'] }, undefined],
])('%s', (_what, more, obstacle) => {
  expect(obstacleOf({ ...asking, ...more })?.obstacle).toBe(obstacle);
});
