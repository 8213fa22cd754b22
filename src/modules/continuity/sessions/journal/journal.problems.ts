import { problem } from '../../../../common/problem/problem.js';

export class JournalEventDiffers extends problem<{ eventId: string; seq: number }>(
  409,
  'JournalEventDiffers',
  'The journal holds another event under this eventId',
) {}
