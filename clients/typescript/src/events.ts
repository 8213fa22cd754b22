import { SvcProblem } from './problem.js';
import { LONGEST_WAIT_MS, namedWait, sleep } from './sending.js';

/** One event of a stream (HTML, 9.2: server-sent events). */
export interface StreamedEvent<T = unknown> {
  /** By which a stream goes on after it. */
  id: string | undefined;
  event: string;
  data: T;
}

export interface StreamOptions {
  /** Go on after this event. */
  lastEventId?: string;
  /** Ends the stream. */
  signal?: AbortSignal;
}

const AGAIN_MS = 1000;
const BUSY = new Set([429, 503]);

type Open = (headers: Record<string, string>, signal?: AbortSignal) => Promise<Response>;

/**
 * The events of a stream as they come. A connection that is cut, or that the server has no place for now (429, 503), is
 * made again and goes on after the last event; it ends with `signal` or when the caller stops reading.
 * @param maxWaitMs a longer wait than this is not waited for
 * @throws SvcProblem where the server refuses
 */
export async function* eventsOf<T>(
  open: Open,
  { lastEventId, signal }: StreamOptions = {},
  maxWaitMs = LONGEST_WAIT_MS,
): AsyncGenerator<StreamedEvent<T>, void, void> {
  let last = lastEventId;
  while (!signal?.aborted) {
    const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
    const { answer, waitMs } = await connect(() => open(headers, signal), maxWaitMs);
    for await (const event of answer ? eventsUntilCut<T>(answer) : []) {
      last = event.id ?? last;
      if (event.event !== 'end') yield event;
      else if (isFinal(event.data)) return;
    }
    await sleep(Math.max(AGAIN_MS, waitMs), signal).catch(() => undefined);
  }
}

/** @returns the answer where there is one to read, and how long to wait before the next */
async function connect(
  open: () => Promise<Response>,
  maxWaitMs: number,
): Promise<{ answer?: Response; waitMs: number }> {
  const answer = await open().catch(() => undefined);
  if (!answer) return { waitMs: 0 };
  const waitMs = BUSY.has(answer.status) ? (namedWait(answer) ?? 0) : undefined;
  if (waitMs === undefined || waitMs > maxWaitMs) return { answer, waitMs: 0 };
  await answer.body?.cancel().catch(() => undefined);
  return { waitMs };
}

/** The events of one connection, which ends without a word when it is cut. */
async function* eventsUntilCut<T>(answer: Response): AsyncGenerator<StreamedEvent<T>, void, void> {
  try {
    if (!answer.ok || !answer.body) throw SvcProblem.ofAnswer(answer, await bodyOf(answer));
    yield* readEvents<T>(answer.body);
  } catch (error) {
    if (error instanceof SvcProblem) throw error;
  }
}

/** The credential has ended: there is nothing to come back for. */
const isFinal = (data: unknown): boolean => (data as { reason?: string } | null)?.reason === 'unauthorized';

async function bodyOf(answer: Response): Promise<unknown> {
  const text = await answer.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

async function* readEvents<T>(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent<T>, void, void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + value).split(/\r\n\r\n|\n\n|\r\r/);
      rest = parts.pop()!;
      yield* parts.map((part) => readEvent<T>(part)).filter((event) => event !== undefined);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** A part without data is a comment that keeps the connection alive. */
function readEvent<T>(part: string): StreamedEvent<T> | undefined {
  const fields = part.split(/\r\n|\n|\r/).map((line) => /^([^:]*):? ?(.*)$/.exec(line)!);
  const of = (name: string) => fields.filter(([, key]) => key === name).map(([, , value]) => value!);
  const data = of('data');
  if (data.length === 0) return undefined;
  return { id: of('id').at(-1), event: of('event').at(-1) ?? 'message', data: JSON.parse(data.join('\n')) as T };
}
