/** One at a time, in the order in which they came: the process-wide lock of memory-daemon.md 4.5. */
export class WriterQueue {
  private last: Promise<void> = Promise.resolve();

  /**
   * Runs `work` when all that came before has ended.
   * @throws the signal's reason when it aborts while waiting; the work is then never begun
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.last;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.last = before.then(() => ended);
    try {
      await beforeAbort(before, signal);
      return await work();
    } finally {
      end();
    }
  }
}

async function beforeAbort(turn: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([turn, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
