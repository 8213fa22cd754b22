const DAY_MS = 86_400_000;

/** How far back usage is looked at; the days are of UTC, as both servers add up. */
export const PERIODS = [7, 30, 90].map((days) => ({ value: String(days), label: `${days} days` }));

/** The first of so many days, of which today is the last. */
export const firstDay = (days: string): string =>
  new Date(Date.now() - (Number(days) - 1) * DAY_MS).toISOString().slice(0, 10);
