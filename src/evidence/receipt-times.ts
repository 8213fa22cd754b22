/** A row has the clock of the database, its receipt that of the process that made it. */
const CLOCKS_APART_MS = 24 * 3_600_000;

/** Whether what was recorded then is of another time than its receipt. */
export const isOfAnotherTime = (recordedAt: Date, occurredAt: string): boolean =>
  Math.abs(recordedAt.getTime() - Date.parse(occurredAt)) > CLOCKS_APART_MS;
