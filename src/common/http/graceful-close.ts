import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { freeMemory } from './growing-bytes.js';
import { takeTurns } from './turns.js';

/** Graceful close: how long the client may send nothing, and how long the close may take in all. */
const IDLE_MS = 2_000;
const MAX_MS = 10_000;

/** Up to this much of a body that nobody needs is read all the same, so that the connection stays usable. */
const WORTH_READING_BYTES = 256 * 1024;

/**
 * Closes a connection gracefully while its client may still be sending (RFC 9112, 9.6): our side is closed, and what
 * still arrives is discarded for a while. Closed at once, the client's kernel would drop the answer together with the
 * connection.
 *
 * @param last what is written before the end
 */
export function closeGracefully(socket: Socket, last?: string): void {
  // No further request of this connection is read: the parser hears nothing more.
  socket.removeAllListeners('data');
  const idle = setTimeout(() => socket.destroy(), IDLE_MS).unref();
  const longest = setTimeout(() => socket.destroy(), MAX_MS).unref();
  socket.on('data', (chunk) => {
    idle.refresh();
    freeMemory(chunk);
    takeTurns(socket);
  });
  socket.once('end', () => socket.destroy());
  socket.once('close', () => {
    clearTimeout(idle);
    clearTimeout(longest);
  });
  socket.resume();
  socket.end(last ?? '');
}

const ENDING = new WeakSet<Socket>();

/** The connection ends with this answer; what was sent after its request is ignored. */
export function endConnection({ raw: { socket } }: FastifyRequest, reply: FastifyReply): void {
  void reply.header('connection', 'close');
  ENDING.add(socket);
  // What Node.js calls when the last answer of a connection is written.
  socket.destroySoon = () => closeGracefully(socket);
}

/**
 * Whether a request came behind the last one that its connection has an answer for (RFC 9112, 9.6: it must not be
 * processed).
 */
export const isPipelinedAfterClose = ({ raw }: FastifyRequest): boolean => ENDING.has(raw.socket);

/**
 * An answer to a request whose body has not arrived: a small rest is read by Node.js and the connection goes on, any
 * other connection ends with the answer.
 */
export function endWithUnreadBody(request: FastifyRequest, reply: FastifyReply): void {
  const { complete, headers } = request.raw;
  if (!complete && hasUnwantedRest(headers, reply.statusCode)) endConnection(request, reply);
}

function hasUnwantedRest(headers: FastifyRequest['headers'], status: number): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const declared = Number(headers['content-length'] ?? 0);
  return declared > WORTH_READING_BYTES || (declared > 0 && (headers.expect !== undefined || status === TOO_LATE));
}

/** A slow client would be slow to send the rest too. */
const TOO_LATE = 408;
