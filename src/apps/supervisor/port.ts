import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import type { WantedPort } from '../../common/config/wanted-ports.js';
import { UserError } from '../../common/user-error.js';
import { findListener } from './port-holder.js';

/**
 * Where a port may be any: below those that Linux, macOS and Windows give to outgoing connections and to `listen(0)`.
 * The app binds it only later, and again after a restart, so nobody else is to get it by chance meanwhile.
 */
const [FIRST_PORT, LAST_PORT] = [12_000, 32_000];
const MAX_TRIES = 100;

/**
 * The ports to give to the apps, in the same order: each is the one wanted, or a free one that stays the same through
 * restarts.
 * @throws UserError with the remedy when something listens there
 */
export async function claimPorts(wanted: WantedPort[]): Promise<number[]> {
  const claims: Server[] = [];
  try {
    // Held until all are claimed: two that may be any must not be the same.
    for (const one of wanted) claims.push(await claim(one));
    return claims.map((server) => (server.address() as { port: number }).port);
  } finally {
    for (const server of claims) server.close();
  }
}

async function claim(wanted: WantedPort): Promise<Server> {
  try {
    return wanted.port === 0 ? await listenAtAny(wanted.host) : await listenAt(wanted.host, wanted.port);
  } catch (error) {
    throw explainBind(error, [wanted]);
  }
}

async function listenAtAny(host: string): Promise<Server> {
  for (let tries = 1; ; tries += 1)
    try {
      return await listenAt(host, randomInt(FIRST_PORT, LAST_PORT));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === MAX_TRIES) throw error;
    }
}

function listenAt(host: string, port: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => resolve(server));
  });
}

/**
 * Of Node.js "listen EADDRINUSE: address already in use 127.0.0.1:8090"; gRPC quotes that within a sentence of its own.
 */
const BIND_FAULT = /\blisten (E[A-Z]+): [^\n]*?:(\d+)\b/;

/** Explains the bind error of one of these ports, with the setting to change; other errors are returned unchanged. */
export function explainBind(error: unknown, wanted: WantedPort[]): unknown {
  const { message, hostname, code } = error as NodeJS.ErrnoException & { hostname?: string };
  const [, fault = code, boundPort] = BIND_FAULT.exec(message) ?? [];
  const one = wanted.find(({ host, port }) => String(port) === boundPort || host === hostname);
  const sentence = one && describeFault(fault, one);
  return sentence ? new UserError(sentence, { cause: error }) : error;
}

function describeFault(code: string | undefined, { host, port, setting }: WantedPort): string | undefined {
  if (code === 'EADDRINUSE') {
    const holder = findListener(port) ?? 'is svc running already?';
    return `Port ${port} of ${host} is in use (${holder}). Stop the other program, or set ${setting}_PORT.`;
  }
  if (code === 'EACCES')
    return `Port ${port} of ${host} needs rights this process lacks. Set ${setting}_PORT to 1024 or more.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is no address of this machine. Set ${setting}_HOST.`;
  return undefined;
}
