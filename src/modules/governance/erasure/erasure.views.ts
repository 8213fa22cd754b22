import type { Erasure } from './erasure.dto.js';
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

export const reportOf = ({ rows, receipts, retrievals }: FoundSubject): Erasure => {
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
    receipt_id: null,
    erased_by: null,
    erased_at: null,
    scrubbed_at: null,
    scrub_step: null,
  };
};
