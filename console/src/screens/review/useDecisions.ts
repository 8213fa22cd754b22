import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { answerOf } from '../../client/answer.ts';
import { RequestFailure } from '../../client/request-failure.ts';
import { announce, announceFailure } from '../../components/toasts.tsx';
import { decideCandidates, undoPromotion } from '../../generated/daemon/sdk.gen.ts';
import { decideOn, type Decision } from './decide.ts';
import { keyOf, type ReviewItem } from './review-items.ts';

const STALE = [
  'review',
  'candidates',
  'gates',
  'passports',
  'approvals',
  'access-requests',
  'facts',
  'overview',
  'work',
];
const UNDO_REASON = 'Undone in the console by who promoted it';

interface Over {
  over: readonly ReviewItem[];
  say: () => void;
}

/**
 * Decisions. An item stays where it is, and selected, until the server has answered: were another in its place
 * meanwhile, a second press of a key would decide on that one. Promotions can be undone, the last one first.
 */
export function useDecisions() {
  const queries = useQueryClient();
  const [working, setWorking] = useState<ReadonlySet<string>>(new Set());
  const [leaving, setLeaving] = useState<ReadonlySet<string>>(new Set());
  const [token, setToken] = useState<string>();
  const promoted = useRef<string[][]>([]);

  const refresh = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => STALE.includes(queryKey[0] as string) });

  const undoLast = async () => {
    const ids = promoted.current.pop();
    if (!ids) return announce('There is no promotion of this visit to undo.');
    await attempt(async () => {
      for (const id of ids) await answerOf(undoPromotion({ path: { id }, body: { reason: UNDO_REASON } }));
      announce(ids.length === 1 ? 'Undone: the fact is retired.' : `Undone: ${ids.length} facts are retired.`);
    });
    await refresh();
  };
  const said = (text: string, ids: string[]) => {
    if (ids.length === 0) return announce(text);
    promoted.current.push(ids);
    announce(text, { label: 'Undo', run: () => void undoLast() });
  };

  /**
   * @param work returns those that are over, which leave the list before it is read again, and what is said of them:
   * whoever reads it and goes on by a key has the next item already
   */
  const settle = async (items: readonly ReviewItem[], work: () => Promise<Over>) => {
    const keys = items.map(keyOf);
    setWorking((before) => union(before, keys));
    await attempt(async () => {
      const { over, say } = await work();
      setLeaving((before) => union(before, over.map(keyOf)));
      say();
    });
    await refresh();
    setWorking((before) => without(before, keys));
    setLeaving((before) => without(before, keys));
  };
  const decide = (item: ReviewItem, decision: Decision) =>
    settle([item], async () => {
      const outcome = await decideOn(queries, item, decision);
      if (outcome.token) setToken(outcome.token);
      const say = () => said(outcome.text, outcome.undoes ? [outcome.undoes] : []);
      return { over: outcome.goesOn ? [] : [item], say };
    });
  const promoteAll = (items: readonly ReviewItem[]) =>
    settle(items, async () => {
      const decisions = items.map(({ id }) => ({ candidate_id: id, decision: 'promote' as const }));
      const { results } = await answerOf(decideCandidates({ body: { decisions } }));
      const stored = results.filter(({ status }) => status === 'promoted').map(({ candidate_id }) => candidate_id);
      const say = () => {
        if (stored.length > 0) said(`Stored ${stored.length} of ${items.length}.`, stored);
        for (const { status, status_code, candidate_id, code, detail } of results)
          if (status !== 'promoted') announceFailure(refusalOf(items, candidate_id, status_code, code, detail));
      };
      return { over: items.filter(({ id }) => stored.includes(id)), say };
    });
  return { working, leaving, decide, promoteAll, undoLast, token, forgetToken: () => setToken(undefined) };
}

const union = (set: ReadonlySet<string>, keys: readonly string[]) => new Set([...set, ...keys]);
const without = (set: ReadonlySet<string>, keys: readonly string[]) =>
  new Set([...set].filter((key) => !keys.includes(key)));

async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
    announceFailure(error);
  }
}

function refusalOf(items: readonly ReviewItem[], id: string, status: number, code?: string, detail?: string) {
  const title = items.find((item) => item.id === id)?.title ?? id;
  return new RequestFailure(status, { title, detail: detail ?? code ?? 'refused' }, undefined);
}
