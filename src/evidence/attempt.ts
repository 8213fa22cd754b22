/** What the work gives, or undefined where it throws: for what does not hold and leads nowhere. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
