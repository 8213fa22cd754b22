import type { LiveEvent } from '../../client/live.ts';

export interface ActivityFilter {
  kind: string;
  actor: string;
  entity: string;
}

export const NO_FILTER: ActivityFilter = { kind: '', actor: '', entity: '' };

export const isFiltered = (filter: ActivityFilter): boolean => Object.values(filter).some(Boolean);

/** What the daemon is asked for; parts that are empty ask for all. */
export const queryOf = ({ kind, actor, entity }: ActivityFilter): Partial<ActivityFilter> => ({
  ...(kind.trim() ? { kind: kind.trim() } : {}),
  ...(actor.trim() ? { actor: actor.trim() } : {}),
  ...(entity.trim() ? { entity: entity.trim() } : {}),
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const isOfKind = (kind: string, wanted: string): boolean =>
  wanted.endsWith('.*') ? kind.startsWith(wanted.slice(0, -1)) : kind === wanted;

const isBy = (actor: string, wanted: string): boolean => actor === wanted || actor === `passport:${wanted}`;

/** Below an entity is what goes on after a slash or a colon. */
const isWithin = (name: string, entity: string): boolean =>
  name === entity || name.startsWith(`${entity}/`) || name.startsWith(`${entity}:`);

/** Whether a live event is one that the daemon's history would have under the same filter. */
export function isShown(
  { type, subject, data }: Pick<LiveEvent, 'type' | 'subject' | 'data'>,
  filter: ActivityFilter,
): boolean {
  const { kind, actor, entity } = queryOf(filter);
  return (
    (kind === undefined || isOfKind(type, kind)) &&
    (actor === undefined || isBy(textOf(data['actor']), actor)) &&
    (entity === undefined || [textOf(data['entity']), subject].some((name) => isWithin(name, entity)))
  );
}

/** What an event is about, in the words of who reads it. */
export const aboutOf = ({ data, subject }: Pick<LiveEvent, 'data' | 'subject'>): string =>
  [textOf(data['entity']) || subject, textOf(data['key'])].filter(Boolean).join(' · ');

export const actorOf = ({ data }: Pick<LiveEvent, 'data'>): string => textOf(data['actor']);
