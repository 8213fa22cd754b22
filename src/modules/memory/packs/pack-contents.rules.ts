import type { PackRow } from './pack-export.store.js';
import type { MemoryPack } from './packs.types.js';

type Item = Record<string, unknown>;
type Contents = Omit<MemoryPack, 'schema' | 'revision' | 'created_at' | 'source' | 'passport_fpr' | 'signature'>;

/** Makes the lists of a pack of what comes from the database, in its order. */
export class PackContents {
  readonly lists: Contents = {
    ...{ principals: [], facts: [], sessions: [], entities: [], edges: [], relations: [] },
    ...{ cases: [], candidates: [], engrams: [] },
  };
  private readonly principals = new Set<string>();
  private earlier: Item[] = [];

  /** @param isEngram what was stored under the kind before it had rules is left out where it is none */
  constructor(private readonly isEngram: (name: string, payload: unknown) => boolean) {}

  add({ list, item }: PackRow): void {
    if (list === 'facts') this.addFact(item);
    else if (list === 'sessions') this.addSession(item);
    else if (list === 'engrams') this.addEngram(item);
    else this.lists[list].push(withoutEmpty('screened', datedOf(item)));
  }

  finish(): Contents {
    return { ...this.lists, principals: [...this.principals].sort() };
  }

  /**
   * Versions of one value that follow each other are one entry, from the beginning of the first: an import would skip
   * the others.
   */
  private addFact({ owner, tenant_hash, valid_from, valid_to, ...rest }: Item): void {
    if (rest.private === true) this.principals.add(owner as string);
    const from = timeOf(valid_from);
    const until = valid_to === null ? undefined : timeOf(valid_to);
    const fact: Item = {
      ...rest,
      ...(rest.private === true ? { owner } : {}),
      ...(tenant_hash === null ? {} : { tenant_hash }),
      // What was over before it was stored never held.
      valid_from: until !== undefined && until <= from ? new Date(Date.parse(until) - 1).toISOString() : from,
      ...(until === undefined ? {} : { valid_to: until }),
    };
    const last = this.lists.facts.at(-1) as Item | undefined;
    if (last && ['owner', 'private', 'entity', 'key', 'value'].every((name) => last[name] === fact[name]))
      this.lists.facts.splice(
        -1,
        1,
        until !== undefined && until <= (last.valid_from as string) ? fact : { ...fact, valid_from: last.valid_from },
      );
    else this.lists.facts.push(fact);
  }

  /** A version; those of one name come oldest first. */
  private addEngram({ is_newest, name, ...rest }: Item): void {
    const version = withoutEmpty('labels', rest);
    const isOne = this.isEngram(name as string, rest.payload);
    if (is_newest !== true) {
      if (isOne) this.earlier.push(version);
      return;
    }
    if (isOne) this.lists.engrams.push(withoutEmpty('earlier', { name, ...version, earlier: this.earlier }));
    this.earlier = [];
  }

  private addSession(item: Item): void {
    if ('session_id' in item) {
      this.lists.sessions.push({ ...item, opened_at: timeOf(item.opened_at), steps: [] });
      return;
    }
    if (item.private === true) this.principals.add(item.owner as string);
    const { outputs, ...step } = item;
    const { steps } = this.lists.sessions.at(-1) as { steps: Item[] };
    steps.push({
      ...step,
      ts_start: timeOf(item.ts_start),
      ts_end: item.ts_end === null ? null : timeOf(item.ts_end),
      ...(outputs === null ? {} : { outputs }),
    });
  }
}

const datedOf = (item: Item): Item =>
  typeof item.created_at === 'string' ? { ...item, created_at: timeOf(item.created_at) } : item;

function withoutEmpty(name: string, { [name]: list, ...rest }: Item): Item {
  return Array.isArray(list) && list.length > 0 ? { ...rest, [name]: list } : rest;
}

const timeOf = (text: unknown): string => new Date(text as string).toISOString();
