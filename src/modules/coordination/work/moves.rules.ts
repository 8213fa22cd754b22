import type { WorkState } from './work.types.js';

/** What a work item may become, by what it is. docs/work.md has the same table. */
export const MOVES: Readonly<Record<WorkState, readonly WorkState[]>> = {
  backlog: ['ready', 'in_progress', 'blocked', 'cancelled'],
  ready: ['backlog', 'in_progress', 'blocked', 'cancelled'],
  in_progress: ['backlog', 'ready', 'blocked', 'in_review', 'cancelled'],
  blocked: ['backlog', 'ready', 'in_progress', 'cancelled'],
  in_review: ['in_progress', 'blocked', 'done', 'cancelled'],
  done: ['backlog', 'ready'],
  cancelled: ['backlog', 'ready'],
};

/** The states in which an item blocks nothing any more. */
export const isEnded = (state: WorkState): boolean => state === 'done' || state === 'cancelled';

/** Whether a move there may end an item, or open one again, from whatever state it is in by then. */
export const mayEndOrReopen = (to: WorkState): boolean => isEnded(to) || MOVES.done.includes(to);

/** The states in which nobody holds the item: whatever lease there is ends with the move. */
export const endsLease = (state: WorkState): boolean => isEnded(state) || state === 'ready' || state === 'backlog';

/** A move as policies name it. */
export const moveName = (from: WorkState, to: WorkState): string => `${from}>${to}`;

/** Every move of the table, as policies name them. */
export const MOVE_NAMES: readonly string[] = Object.entries(MOVES).flatMap(([from, tos]) =>
  tos.map((to) => moveName(from as WorkState, to)),
);

/** @returns what is wrong with a move, naming those that are allowed; undefined where nothing is */
export function findForbidden(from: WorkState, to: WorkState): string | undefined {
  if (from === to || MOVES[from].includes(to)) return undefined;
  return `${from} does not become ${to}; allowed from ${from}: ${MOVES[from].join(', ')}`;
}

/** What an item is to every reader: once its lease is over, work in progress is ready for others. */
export const shownState = ({ state, isLeaseOver }: { state: WorkState; isLeaseOver: boolean }): WorkState =>
  isLeaseOver ? 'ready' : state;

/** Whether it names at least one move of the table: `*` stands for any state. */
export function isMovePattern(pattern: string): boolean {
  const [from, to, ...rest] = pattern.split('>');
  const fits = (part: string | undefined, state: string) => part === '*' || part === state;
  return (
    rest.length === 0 &&
    MOVE_NAMES.some((name) => {
      const [moveFrom, moveTo] = name.split('>') as [string, string];
      return fits(from, moveFrom) && fits(to, moveTo);
    })
  );
}
