import { problem } from '../../../common/problem/problem.js';

export class EngramUnknown extends problem<{ name: string }>(404, 'EngramUnknown', 'There is no such engram') {}

export class EngramLabelUnknown extends problem<{ name: string; label: string }>(
  404,
  'EngramLabelUnknown',
  'The engram has no such label',
) {}

export class EngramLabelMoved extends problem<{ version: number }>(
  409,
  'EngramLabelMoved',
  'The label was moved meanwhile',
) {}

/** Names that nothing is stored under, or that have no version under the label. */
export class EngramsUnknown extends problem<{ unknown: string[] }>(
  422,
  'EngramsUnknown',
  'Some of the engrams are not there',
) {}

/** Two spellings of one member say different things. */
export class SpellingsDiffer extends problem<{ members: string[] }>(
  422,
  'SpellingsDiffer',
  'Two spellings of a member differ',
) {}
