import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that Linux, macOS and Windows give to outgoing connections and to `listen(0)`. */
const [FIRST_PORT, LAST_PORT] = [12_000, 32_000];
const MAX_TRIES = 100;

/**
 * A loopback port that nobody listens at. The system gives it to nobody by itself, so that it is still free when the
 * caller's process has started.
 */
export async function freePort(): Promise<number> {
  for (let n = 0; n < MAX_TRIES; n++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${FIRST_PORT} and ${LAST_PORT} in ${MAX_TRIES} tries`);
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
