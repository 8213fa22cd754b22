/** A kind of event, or all that begin so: `fact.stored`, `fact.*`. */
export const KIND_PATTERN = /^[a-z0-9_]+(\.[a-z0-9_]+)*(\.\*)?$/;

/** What is asked for; what is undefined does not filter. */
export interface ActivityFilter {
  kind?: string | undefined;
  /** The names that it goes by: facts name a passport by its id alone, other events in full. */
  actors?: readonly string[] | undefined;
  entity?: string | undefined;
  subject?: string | undefined;
}

interface Happened {
  kind: string;
  subject: string;
  data: Record<string, unknown>;
}

/** Whether an event is asked for. The statement of `EventsStore` says the same. */
export function isAskedFor({ kind, subject, data }: Happened, filter: ActivityFilter): boolean {
  return (
    isOfKind(kind, filter.kind) &&
    (filter.subject === undefined || filter.subject === subject) &&
    (filter.actors === undefined || filter.actors.some((name) => name === data.actor)) &&
    (filter.entity === undefined || [data.entity, subject].some((name) => isWithin(name, filter.entity!)))
  );
}

const isOfKind = (kind: string, wanted: string | undefined): boolean =>
  wanted === undefined || (wanted.endsWith('.*') ? kind.startsWith(wanted.slice(0, -1)) : kind === wanted);

/** Below an entity is what goes on after a slash or a colon. */
const isWithin = (name: unknown, entity: string): boolean =>
  typeof name === 'string' && (name === entity || name.startsWith(`${entity}/`) || name.startsWith(`${entity}:`));
