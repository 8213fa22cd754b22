export const AGGREGATE_OPS = ['count', 'sum', 'avg', 'min', 'max', 'latest', 'distinct'] as const;
/** What is made of the values of facts (D36). */
export type AggregateOp = (typeof AGGREGATE_OPS)[number];

/** The ops that read values as numbers. */
export const isNumeric = (op: AggregateOp): boolean => ['sum', 'avg', 'min', 'max'].includes(op);

/** A decimal as PostgreSQL writes it: a JSON number where that is the same number, else its digits as text. */
export function exactNumber(decimal: string): number | string {
  // A zero has no sign here.
  const number = Number(decimal) + 0;
  return Number.isFinite(number) && canonical(String(number)) === canonical(decimal) ? number : decimal;
}

/** Digits without leading and trailing zeros, and the power of ten of the last: equal for equal numbers. */
function canonical(decimal: string): string {
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(decimal) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/, '');
  const kept = digits.replace(/(?<!0)0+$/, '');
  if (kept === '') return '0';
  return `${sign === '-' ? '-' : ''}${kept}e${Number(exponent) - part.length + digits.length - kept.length}`;
}
