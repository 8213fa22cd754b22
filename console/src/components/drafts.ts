import { createStore } from '../client/store.ts';

/**
 * What was typed and not yet sent, by the name of its form: it outlives a refused request, another screen and the end
 * of a session. No secret is a draft: fields of passwords and tokens keep theirs in their own component.
 */
const drafts = createStore<ReadonlyMap<string, object>>(new Map());

/** Where drafts stay while the page is left for a sign-in elsewhere: of this tab alone, and until somebody is back. */
const KEPT = 'svc console drafts';
interface Kept {
  owner: string;
  drafts: [form: string, draft: object][];
}

/** Keeps the drafts of somebody who signs in again at a page of others. */
export const keepDrafts = (owner: string): void =>
  sessionStorage.setItem(KEPT, JSON.stringify({ owner, drafts: [...drafts.get()] } satisfies Kept));

/** @returns whether there were any of this owner; those of another are gone */
export function takeKeptDrafts(owner: string): boolean {
  const stored = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  const kept = stored === null ? undefined : (JSON.parse(stored) as Kept);
  if (kept?.owner !== owner || kept.drafts.length === 0) return false;
  drafts.set(new Map(kept.drafts));
  return true;
}

/** Nothing typed is left for whoever comes next. */
export function dropDrafts(): void {
  sessionStorage.removeItem(KEPT);
  drafts.set(new Map());
}

/** @param initial must be the same object each time, or a constant */
export function useDraft<T extends object>(
  name: string,
  initial: T,
): { draft: T; change: (part: Partial<T>) => void; clear: () => void } {
  const draft = (drafts.use().get(name) as T | undefined) ?? initial;
  return {
    draft,
    change: (part) => {
      const typed = { ...(drafts.get().get(name) ?? initial), ...part };
      drafts.set(new Map([...drafts.get(), [name, typed]]));
    },
    clear: () => drafts.set(new Map([...drafts.get()].filter(([other]) => other !== name))),
  };
}
