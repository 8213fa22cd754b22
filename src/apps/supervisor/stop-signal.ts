/**
 * Signals closer together than this are one: a terminal's Ctrl-C reaches a process directly and again through its
 * parent.
 */
const SAME_MS = 1000;

export interface StopSignal {
  /** Settles at the first SIGTERM or SIGINT. */
  readonly requested: Promise<string>;
  /** Settles at a further one more than a second later: the user does not want to wait. */
  readonly insisted: Promise<void>;
}

/** Takes over SIGTERM and SIGINT for the rest of this process's life. */
export function onStopSignal(): StopSignal {
  let firstAt: number | undefined;
  const requested = Promise.withResolvers<string>();
  const insisted = Promise.withResolvers<void>();
  const take = (signal: string): void => {
    firstAt ??= performance.now();
    requested.resolve(signal);
    if (performance.now() - firstAt > SAME_MS) insisted.resolve();
  };
  process.on('SIGTERM', take);
  process.on('SIGINT', take);
  return { requested: requested.promise, insisted: insisted.promise };
}
