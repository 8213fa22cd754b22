import type { Socket } from 'node:net';

/** More refusals than this in one burst mean a connection that sends without waiting for answers. */
const MAX_AT_ONCE = 32;

/**
 * Finds connections whose refused requests come many at a time: all that one read brought is answered before any other
 * connection has its turn, so that a few such connections would keep even the probes waiting.
 */
export class RefusalBursts {
  private readonly counts = new Map<Socket, number>();

  /** Counts a refusal. @returns whether the connection should end with it */
  note(socket: Socket): boolean {
    if (this.counts.size === 0) setImmediate(() => this.counts.clear());
    const count = (this.counts.get(socket) ?? 0) + 1;
    this.counts.set(socket, count);
    return count >= MAX_AT_ONCE;
  }
}
