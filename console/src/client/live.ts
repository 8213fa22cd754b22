import { followEvents as openStream } from '../generated/daemon/sdk.gen.ts';
import { identityNow, nameOf, type Identity } from './identity.ts';
import { queryClient } from './query-client.ts';
import { resourcesOf } from './resources.ts';
import { createStore } from './store.ts';

/** One event of the tenant, as GET /v1/events/stream has it. */
export interface LiveEvent {
  id: string;
  type: string;
  subject: string;
  time: string;
  data: Record<string, unknown>;
}

/** `refused`: the sign-in may not follow the events, which another attempt does not change. */
export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'refused';

type Message = { state: LiveState; lastId: string | undefined } | { event: LiveEvent; lastId: string | undefined };

/** Events that are kept for those who look later. */
const KEPT = 200;
/** Many events in a row ask for a list once. */
const REFRESH_AFTER_MS = 400;
const RETRY_MS = 2_000;
/** The holder of the stream says so; tabs that hear nothing for three of these call it lost. */
const BEAT_MS = 4_000;

const state = createStore<LiveState>('connecting');
const events = createStore<readonly LiveEvent[]>([]);
let lastId: string | undefined;
let lastHeard = 0;
const stale = new Set<string>();
let refresh: ReturnType<typeof setTimeout> | undefined;

function setState(next: LiveState): void {
  lastHeard = Date.now();
  if (state.get() === next) return;
  // What happened before the stream was there, or while it was away, may be in no event of it.
  if (next === 'live') void queryClient.invalidateQueries();
  state.set(next);
}

function take(event: LiveEvent): void {
  lastHeard = Date.now();
  events.set([event, ...events.get().slice(0, KEPT - 1)]);
  for (const resource of resourcesOf(event.type)) stale.add(resource);
  refresh ??= setTimeout(() => {
    const names = new Set(stale);
    stale.clear();
    refresh = undefined;
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => names.has(queryKey[0] as string) });
  }, REFRESH_AFTER_MS);
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Follows the tenant's events while the identity lasts. Browsers open few connections to one server, so that of all
 * tabs of one identity one holds the stream (Web Locks) and passes events on to the others (BroadcastChannel).
 *
 * @returns ends it
 */
export function followEvents(identity: Identity): () => void {
  const name = `svc live ${nameOf(identity)}`;
  const channel = new BroadcastChannel(name);
  const ending = new AbortController();
  state.set('connecting');
  events.set([]);
  [lastId, lastHeard] = [undefined, Date.now()];
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    lastId = data.lastId ?? lastId;
    if ('event' in data) take(data.event);
    else setState(data.state);
  };
  const watch = setInterval(() => {
    if (Date.now() - lastHeard > 3 * BEAT_MS) setState('reconnecting');
  }, BEAT_MS);
  navigator.locks
    .request(name, { signal: ending.signal }, () => holdStream(channel, ending.signal))
    .catch(() => undefined);
  return () => {
    ending.abort();
    clearInterval(watch);
    channel.close();
  };
}

async function holdStream(channel: BroadcastChannel, signal: AbortSignal): Promise<void> {
  const post = (message: Message) => void (signal.aborted || channel.postMessage(message));
  const say = (next: LiveState) => {
    setState(next);
    post({ state: next, lastId });
  };
  const beat = setInterval(() => say(state.get()), BEAT_MS);
  try {
    while (!signal.aborted && identityNow()) {
      const isRefused = await readStream(signal, say, (event) => {
        take(event);
        post({ event, lastId });
      });
      if (signal.aborted) return;
      if (isRefused) {
        say('refused');
        // It stays the holder, so that no other tab asks in vain.
        return await new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      }
      say('reconnecting');
      await sleep(RETRY_MS);
    }
  } finally {
    clearInterval(beat);
  }
}

/** One connection, until it ends. @returns whether there may never be one */
async function readStream(
  signal: AbortSignal,
  say: (state: LiveState) => void,
  onEvent: (event: LiveEvent) => void,
): Promise<boolean> {
  let isRefused = false;
  const { stream } = await openStream({
    signal,
    sseMaxRetryAttempts: 1,
    headers: lastId === undefined ? {} : { 'last-event-id': lastId },
    // An id of before the server was restored is rejected for good; what is shown is read again anyway.
    onSseError: (error) => {
      if (String(error).includes('SSE failed: 400')) lastId = undefined;
      isRefused = String(error).includes('SSE failed: 403');
    },
    // A comment, which has no data, is the first thing that the server sends.
    onSseEvent: ({ data, id, event }) => {
      say('live');
      lastId = id ?? lastId;
      if (typeof data === 'object' && event !== 'end') onEvent(data);
    },
  });
  for await (const _ of stream) if (signal.aborted) break;
  return isRefused;
}

export const useLiveState = (): LiveState => state.use();

/** The newest first. */
export const useLiveEvents = (): readonly LiveEvent[] => events.use();
