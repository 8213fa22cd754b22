import { stringify } from 'csv-stringify/sync';
import type { FastifyReply } from 'fastify';
import type { Cost, CostQuery, CostReport, CostRow, CostTotal } from './cost.dto.js';
import type { Dimension, PriceList, UsageGroup } from './cost.types.js';
import { costOf } from './prices.rules.js';

/** No more than a number says exactly. */
const numberOf = (count: bigint): number =>
  Number(count < BigInt(Number.MAX_SAFE_INTEGER) ? count : BigInt(Number.MAX_SAFE_INTEGER));

export function totalOf({ events, models }: UsageGroup, prices: PriceList | undefined): CostTotal {
  const sum = (of: 'tokensIn' | 'tokensOut'): number => numberOf(models.reduce((total, one) => total + one[of], 0n));
  const cost = prices && costOf(models, prices);
  return {
    events,
    tokens_in: sum('tokensIn'),
    tokens_out: sum('tokensOut'),
    cost: cost
      ? ({
          currency: cost.currency,
          amount: cost.amount,
          unpriced_tokens: numberOf(cost.unpricedTokens),
        } satisfies Cost)
      : null,
  };
}

/** A group with its dimensions as members. */
export const rowOf = (group: UsageGroup, by: readonly Dimension[], prices: PriceList | undefined): CostRow => ({
  ...Object.fromEntries(by.map((dimension, place) => [dimension, group.key[place] || null])),
  ...totalOf(group, prices),
});

/** A page of a report, in the form that was asked for. */
export type SentReport = { report: CostReport } | { csv: string; nextCursor: string | null };

/** What the handler returns. The next page of CSV is named by a header (RFC 8288). */
export function sendReport(reply: FastifyReply, query: CostQuery, sent: SentReport): object {
  if ('report' in sent) return sent.report;
  void reply.header('content-type', 'text/csv; charset=utf-8; header=present');
  if (sent.nextCursor !== null) {
    const given = Object.entries({ ...query, cursor: sent.nextCursor }).filter(([, value]) => value !== undefined);
    const next = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
    void reply.header('link', `<?${next.toString()}>; rel="next"`);
  }
  return Buffer.from(sent.csv);
}

/** A spreadsheet takes a cell that begins with = for a formula. */
export function csvOf(rows: readonly CostRow[], by: readonly Dimension[], hasCost: boolean): string {
  const columns = [
    ...by,
    'events',
    'tokens_in',
    'tokens_out',
    ...(hasCost ? ['currency', 'amount', 'unpriced_tokens'] : []),
  ];
  const records = rows.map(({ cost, ...row }) => ({ ...row, ...cost }));
  return stringify(records, { header: true, columns, escape_formulas: true });
}
