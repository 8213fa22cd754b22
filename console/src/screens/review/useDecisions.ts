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

/**
 * Decisions, whose items leave the list at once and come back with the reason where the server refuses. Promotions can
 * be undone, the last one first.
 */
export function useDecisions() {
  const queries = useQueryClient();
  const [leaving, setLeaving] = useState<ReadonlySet<string>>(new Set());
  const [token, setToken] = useState<string>();
  const promoted = useRef<string[][]>([]);

  const refresh = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => STALE.includes(queryKey[0] as string) });
  const leave = (keys: readonly string[]) => setLeaving((before) => new Set([...before, ...keys]));
  const back = (keys: readonly string[]) =>
    setLeaving((before) => new Set([...before].filter((key) => !keys.includes(key))));

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

  const decide = async (item: ReviewItem, decision: Decision) => {
    leave([keyOf(item)]);
    await attempt(async () => {
      const outcome = await decideOn(queries, item, decision);
      if (outcome.token) setToken(outcome.token);
      said(outcome.text, outcome.undoes ? [outcome.undoes] : []);
    });
    await refresh();
    // What was decided is no longer in the list by now; what was refused, or goes on, is.
    back([keyOf(item)]);
  };
  const promoteAll = async (items: readonly ReviewItem[]) => {
    leave(items.map(keyOf));
    await attempt(async () => {
      const decisions = items.map(({ id }) => ({ candidate_id: id, decision: 'promote' as const }));
      const { results } = await answerOf(decideCandidates({ body: { decisions } }));
      const stored = results.filter(({ status }) => status === 'promoted').map(({ candidate_id }) => candidate_id);
      if (stored.length > 0) said(`Stored ${stored.length} of ${items.length}.`, stored);
      for (const { status, status_code, candidate_id, code, detail } of results)
        if (status !== 'promoted') announceFailure(refusalOf(items, candidate_id, status_code, code, detail));
    });
    await refresh();
    back(items.map(keyOf));
  };
  return { leaving, decide, promoteAll, undoLast, token, forgetToken: () => setToken(undefined) };
}

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
