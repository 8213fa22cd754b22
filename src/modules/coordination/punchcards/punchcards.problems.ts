import { problem } from '../../../common/problem/problem.js';
import type { Conflict } from './punchcard-replies.dto.js';

/** Another holder has what was asked for, and the mode is enforce. */
export class PunchcardHeld extends problem<{ resource: string; mode: string; conflicts: Conflict[] }>(
  409,
  'PunchcardHeld',
  'The resource is held',
) {}

export class PunchcardLimit extends problem<{ limit: number; of: 'tenant' | 'holder' }>(
  409,
  'PunchcardLimit',
  'Too many punchcards are held',
) {}

/** No such punchcard, or none that the caller could release. */
export class PunchcardNotFound extends problem(404, 'PunchcardNotFound', 'There is no such punchcard') {}
