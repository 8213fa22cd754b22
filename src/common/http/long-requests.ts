import type { Socket } from 'node:net';

/**
 * Connections whose request just now may take as long as it likes to arrive: a stream of requests that are answered as
 * they come. The time limit of the server (SVC_REQUEST_TIMEOUT_MS) passes them over; code that adds one has bounds of
 * its own, and removes it again.
 */
export const LONG_REQUESTS = new WeakSet<Socket>();
