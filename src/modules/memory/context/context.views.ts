import type { AssembledContext, ContextItem, ContextOmission, ContextRequest } from './context.dto.js';
import type { ChosenItem, OmittedItem, WholeContext } from './context.types.js';

/** What was left out is listed up to so many, with details. */
const MAX_OMITTED = 200;
const DIGITS = 4;

/**
 * The answer. An agent pays for every word of it: digests, scores and a list of what was left out only where they were
 * asked for.
 */
export function viewOf(context: WholeContext, { task, token_budget, details }: ContextRequest): AssembledContext {
  const { items, omitted, hash, isCached, assembledAt } = context;
  return {
    schema: 'svc.context/1',
    task,
    items: items.map((item) => itemOf(item, details)),
    total_tokens: items.reduce((sum, { tokens }) => sum + tokens, 0),
    token_budget,
    omitted: (details ? omitted : summed(omitted)).slice(0, MAX_OMITTED),
    omitted_count: omitted.length,
    context_hash: hash,
    cached: isCached,
    assembled_at: assembledAt.toISOString(),
  };
}

function itemOf({ citation, spans, ...item }: ChosenItem, details: boolean): ContextItem {
  const { kind, id, text, tokens, why, hash, score } = item;
  const place = citation && {
    ...{ corpus_id: citation.corpus_id, doc_id: citation.doc_id },
    ...(citation.title === null ? {} : { title: citation.title }),
    ...(citation.url === null ? {} : { url: citation.url }),
    ...(spans ? { spans: [...spans] } : {}),
    ...(details ? { doc_version: citation.doc_version } : {}),
  };
  return {
    ...{ kind, id, text, tokens, why },
    ...(details ? { hash, score: Number(score.toFixed(DIGITS)) } : {}),
    ...(place ? { citation: place } : {}),
  };
}

/** Items that had no place, and repetitions, as numbers by kind; what a caller can do something about, one by one. */
function summed(omitted: readonly OmittedItem[]): ContextOmission[] {
  const counted = Map.groupBy(omitted, ({ kind, reason }) =>
    reason === 'budget' || reason === 'duplicate' ? `${kind} ${reason}` : '',
  );
  const sums = [...counted].filter(([name]) => name !== '').map(([, of]) => sumOf(of));
  return [...(counted.get('') ?? []), ...sums];
}

function sumOf(of: readonly OmittedItem[]): ContextOmission {
  const { kind, reason } = of[0]!;
  const tokens = of.reduce((sum, one) => sum + (one.tokens ?? 0), 0);
  const detail = reason === 'budget' ? 'others that fit better took the budget' : 'said by others already';
  return { kind, count: of.length, tokens, reason, detail };
}
