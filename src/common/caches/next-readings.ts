/**
 * Readings of what changes all the time, one after the other for each name. Calls that come while one runs share the
 * next: the one that runs may have looked before what they have to see was there.
 */
export class NextReadings<T> {
  private readonly running = new Map<string, Promise<unknown>>();
  /** Those that have not begun yet. */
  private readonly waiting = new Map<string, Promise<T>>();

  /** @param read called where no reading waits for its turn that this call can share */
  next(name: string, read: () => Promise<T>): Promise<T> {
    const waiting = this.waiting.get(name);
    if (waiting) return waiting;
    const before = this.running.get(name);
    const done = this.begin(name, read, before);
    if (before) this.waiting.set(name, done);
    return done;
  }

  private async begin(name: string, read: () => Promise<T>, before?: Promise<unknown>): Promise<T> {
    if (before) {
      await before.catch(() => undefined);
      this.waiting.delete(name);
    }
    const reading = read();
    this.running.set(name, reading);
    try {
      return await reading;
    } finally {
      if (this.running.get(name) === reading) this.running.delete(name);
    }
  }
}
