import { Integer, Text } from '../../common/fields/fields.js';
import { MIN_BUDGET } from './agent-answer.js';

/** Tokens of an answer at most, of its text and its data. */
export const TokenBudget = (preset: number) =>
  Integer({ about: 'Most tokens of the answer.', min: MIN_BUDGET, max: 100_000, default: preset });

/** The name an agent chose for itself. */
export const AgentId = () => Text({ about: 'Your name.', min: 1, max: 120, default: 'default-agent' });

/** Where an answer goes on: the next_cursor of the one before. */
export const Cursor = () => Text({ about: 'The next page.', optional: true, pattern: /^\d{1,6}$/ });
/** How many items came before. */
export const placeOf = (cursor: string | undefined): number => Number(cursor ?? 0);
