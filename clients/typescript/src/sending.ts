/** When and how often a request is sent again. */
export interface RetryOptions {
  /** How often a request is sent at most; 4 unless said otherwise, 1 for never again. */
  attempts?: number;
  /** A longer wait than this is not waited for: the problem is thrown. 30,000 unless said otherwise. */
  maxWaitMs?: number;
}

export interface SendingOptions extends RetryOptions {
  /** Whether the server takes an idempotency key for this request. */
  takesKey: (method: string, path: string) => boolean;
  /** Whether all that is sent with a key has its effect once by it. */
  isOnceByKey: boolean;
  fetch?: typeof globalThis.fetch;
}

export const KEY = 'x-idempotency-key';
/** Methods that have the same effect once and twice. PUT is none of them: much of what is stored by it has versions. */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);
const FIRST_WAIT_MS = 250;
export const LONGEST_WAIT_MS = 30_000;

/**
 * A fetch that gives each write a key of its own and sends a request again where that has no second effect: after the
 * time that the server names on 429, 503 and 409 of a key in use, and after a failure of the network. What could have a
 * second effect goes out again after 429 alone, which had none.
 */
export function makeSending(options: SendingOptions): typeof globalThis.fetch {
  const { attempts = 4, maxWaitMs = LONGEST_WAIT_MS, takesKey, isOnceByKey } = options;
  const send = options.fetch ?? globalThis.fetch;
  return async (input, init) => {
    const request = new Request(input, init);
    const isKeyed = takesKey(request.method, new URL(request.url).pathname);
    if (isKeyed && !request.headers.has(KEY)) request.headers.set(KEY, crypto.randomUUID());
    const isRepeatable = (isKeyed && isOnceByKey) || IDEMPOTENT.has(request.method);
    for (let attempt = 1; ; attempt++) {
      const answer = await send(request.clone()).catch((error: unknown) => {
        if (request.signal.aborted || !isRepeatable || attempt >= attempts) throw error;
        return undefined;
      });
      const wait = waitBefore(answer, attempt, isRepeatable);
      if (answer && (wait === undefined || wait > maxWaitMs || attempt >= attempts)) return answer;
      await answer?.body?.cancel();
      await sleep(wait ?? FIRST_WAIT_MS, request.signal);
    }
  };
}

/** Milliseconds until the next try, with jitter so that clients do not come back together; undefined for none. */
function waitBefore(answer: Response | undefined, attempt: number, isRepeatable: boolean): number | undefined {
  const jitter = Math.random() * FIRST_WAIT_MS;
  const backoff = FIRST_WAIT_MS * 2 ** (attempt - 1) + jitter;
  if (!answer) return backoff;
  const named = namedWait(answer);
  const isAskedFor =
    answer.status === 429 ||
    (isRepeatable && (answer.status === 503 || (answer.status === 409 && named !== undefined)));
  if (!isAskedFor) return undefined;
  return named === undefined ? backoff : named + jitter;
}

/** Milliseconds by retry-after (RFC 9110, 10.2.3), which is a number of seconds, or a date. */
export function namedWait({ headers }: Response): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

export const sleep = (ms: number, signal?: AbortSignal | null): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => reject(signal?.reason as Error);
    if (signal?.aborted) return end();
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', () => (clearTimeout(timer), end()), { once: true });
  });
