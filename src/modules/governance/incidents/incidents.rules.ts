import type { IncidentStatus, Window } from './incidents.types.js';

/** What a status may become, other than itself. */
export const STATUS_MOVES: Readonly<Record<IncidentStatus, readonly IncidentStatus[]>> = {
  open: ['contained', 'closed'],
  contained: ['open', 'closed'],
  closed: ['open'],
};

export const mayBecome = (from: IncidentStatus, to: IncidentStatus): boolean =>
  from === to || STATUS_MOVES[from].includes(to);

/** To the microsecond that the database keeps. @returns undefined when it ends before it begins */
export function windowOf({ from, to }: { from: string; to?: string | null }): Window | undefined {
  const window = { from: new Date(from), to: to === undefined || to === null ? null : new Date(to) };
  return window.to !== null && window.to < window.from ? undefined : window;
}

/** Each name once, in the order in which they were named first. */
export const namesOf = (names: readonly string[] = []): string[] => [...new Set(names)];
