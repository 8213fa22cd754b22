import type { RequestAction, RequestStatus } from './requests.types.js';

/** From where each action leads where. A shipped request stays shipped: what is wrong with it is a new request. */
const MOVES: Record<RequestAction, { from: readonly RequestStatus[]; to: RequestStatus }> = {
  acknowledge: { from: ['open'], to: 'acknowledged' },
  ship: { from: ['acknowledged'], to: 'shipped' },
  archive: { from: ['open', 'acknowledged'], to: 'archived' },
  accept: { from: ['open'], to: 'acknowledged' },
  decline: { from: ['open', 'acknowledged'], to: 'archived' },
  reopen: { from: ['archived'], to: 'open' },
};

export const targetOf = (action: RequestAction): RequestStatus => MOVES[action].to;

/** Everything that may be done from a status. */
export const actionsFrom = (status: RequestStatus): RequestAction[] =>
  (Object.keys(MOVES) as RequestAction[]).filter((action) => MOVES[action].from.includes(status));

export const isVotable = (status: RequestStatus): boolean => status === 'open' || status === 'acknowledged';

/** A pattern for ILIKE that finds the text itself, whatever it holds. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
