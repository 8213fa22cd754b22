import { problem } from '../../../common/problem/problem.js';

/** Somebody else announces for the session. */
export class IntentOfAnother extends problem<{ session_id: string; by_passport: string | null; expires_at: string }>(
  403,
  'IntentOfAnother',
  'The session is announced by another',
) {}
