import { sha256 } from '../../evidence/sha256.js';

/** Milliseconds after which a client whose connection ended reconnects. */
const RETRY_MS = 3_000;

/** What every connection begins with; the comment makes proxies that wait for a first byte pass the head on. */
export const SSE_BEGINNING = `: svc-tools\nretry: ${RETRY_MS}\n\n`;

/** One event of Server-Sent Events (WHATWG HTML, section 9.2). `data` is one line. */
export const sseEvent = (id: string, event: string, data: string): string =>
  `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;

/** Distinguishes one capability message from another, in 12 hexadecimal digits. */
export const markOf = (message: string): string => sha256(message).toString('hex').slice(0, 12);

/**
 * The ids of one client's events, over all its connections: which capabilities it knows, and a count that grows, also
 * as text.
 */
interface EventId {
  mark: string;
  count: number;
}

export const writeEventId = ({ mark, count }: EventId): string => `${mark}-${String(count).padStart(10, '0')}`;

/** The id in a Last-Event-ID; undefined where it is none of ours. */
export function readEventId(text: string | undefined): EventId | undefined {
  const [, mark, count] = /^([0-9a-f]{12})-(\d{10,15})$/.exec(text ?? '') ?? [];
  return mark === undefined ? undefined : { mark, count: Number(count) };
}
