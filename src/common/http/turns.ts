import type { Readable } from 'node:stream';

/** So many streams are read on at each turn of the event loop, by about 64 KiB each. */
const AT_A_TURN = 16;

const waiting: Readable[] = [];

/**
 * Reads a stream on when its turn has come. Of a connection that sends fast, libuv reads two megabytes before it looks
 * at the next one: a few hundred of them would keep all other requests waiting for seconds.
 */
export function takeTurns(stream: Readable): void {
  stream.pause();
  waiting.push(stream);
  if (waiting.length === 1) setImmediate(readOn);
}

function readOn(): void {
  for (const stream of waiting.splice(0, AT_A_TURN)) stream.resume();
  if (waiting.length > 0) setImmediate(readOn);
}
