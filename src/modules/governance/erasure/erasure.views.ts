import type { Erasure } from './erasure.dto.js';
import type { ErasureRequestRow } from './erasure-request.entity.js';
import type { ErasureRow } from './erasure.entity.js';
import type { FoundSubject } from './erasure.types.js';

export const erasureOf = (row: ErasureRow): Erasure => ({
  erasure_id: row.erasureId,
  state: row.scrubbedAt ? 'scrubbed' : 'removed',
  counts: row.counts,
  receipt_id: row.receiptId,
  erased_by: row.erasedBy,
  erased_at: row.erasedAt.toISOString(),
  scrubbed_at: row.scrubbedAt?.toISOString() ?? null,
  scrub_step: row.scrubStep,
});

/** Of one that is not done. */
export const requestOf = ({ erasureId, state, holdIds, reason }: ErasureRequestRow): Erasure => ({
  erasure_id: erasureId,
  state,
  counts: {},
  ...(state === 'refused' ? { hold_ids: holdIds } : {}),
  ...(reason === null ? {} : { reason }),
  ...NOT_DONE,
});

/** @param holdIds of the holds that would refuse it */
export const reportOf = ({ rows, receipts, retrievals }: FoundSubject, holdIds: string[]): Erasure => {
  const records = [
    { name: 'receipt', list: receipts },
    { name: 'retrieval_receipt', list: retrievals },
  ].filter(({ list }) => list.length > 0);
  return {
    erasure_id: null,
    state: 'found',
    counts: Object.fromEntries([
      ...rows.map(({ name, count }) => [name, count] as const),
      ...records.map(({ name, list }) => [name, list.length] as const),
    ]),
    samples: Object.fromEntries([
      ...rows.map(({ name, samples }) => [name, [...samples]] as [string, string[]]),
      ...records.map(
        ({ name, list }) => [name, list.slice(0, 10).map(({ receiptId }) => receiptId)] as [string, string[]],
      ),
    ]),
    hold_ids: holdIds,
    ...NOT_DONE,
  };
};

const NOT_DONE = { receipt_id: null, erased_by: null, erased_at: null, scrubbed_at: null, scrub_step: null };
