import { createStore } from '../client/store.ts';

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
/** With the name of the zone. */
const CLOCK = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

const STEPS: [unit: Intl.RelativeTimeFormatUnit, ms: number, until: number][] = [
  ['second', 1_000, 60_000],
  ['minute', 60_000, 3_600_000],
  ['hour', 3_600_000, 86_400_000],
  ['day', 86_400_000, 7 * 86_400_000],
];
const TICK_MS = 15_000;

const now = createStore(Date.now());
setInterval(() => now.set(Date.now()), TICK_MS);

function relative(at: number): string {
  const distance = at - Date.now();
  const step = STEPS.find(([, , until]) => Math.abs(distance) < until);
  return step ? RELATIVE.format(Math.trunc(distance / step[1]), step[0]) : DAY.format(at);
}

/**
 * A moment in the reader's zone: how long ago, and exactly on hover; with `isExact` the other way round. On hover in
 * UTC too, as logs and receipts have it.
 */
export function Time({ at, isExact = false }: { at: string | number | Date | null | undefined; isExact?: boolean }) {
  now.use();
  if (at === null || at === undefined) return <span className="quiet">never</span>;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{String(at)}</span>;
  const [utc, ago] = [date.toISOString(), relative(date.getTime())];
  return (
    <time dateTime={utc} title={`${isExact ? ago : EXACT.format(date)} (${utc})`} className="number">
      {isExact ? CLOCK.format(date) : ago}
    </time>
  );
}
