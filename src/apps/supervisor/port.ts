import { createServer, type Server } from 'node:net';

/** An address that an app is to bind. */
export interface WantedPort {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** The settings that name it, without _HOST and _PORT. */
  setting: 'SVC_API' | 'SVC_TOOLS' | 'SVCD_HTTP' | 'SVCD_MCP' | 'SVCD_GRPC';
}

/**
 * The ports to give to the apps, in the same order: each is the one wanted, or a free one that stays the same through restarts.
 * @throws Error with the remedy when something listens there
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

async function claim({ host, port, setting }: WantedPort): Promise<Server> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
    return server;
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, { host, port, setting });
  }
}

function explain(error: NodeJS.ErrnoException, { host, port, setting }: WantedPort): Error {
  const remedies: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is in use (is svc running already?). Stop the other program, or set ${setting}_PORT.`,
    EACCES: `Port ${port} of ${host} needs rights this process lacks. Set ${setting}_PORT to 1024 or more.`,
    EADDRNOTAVAIL: `${host} is no address of this machine. Set ${setting}_HOST.`,
  };
  return new Error(remedies[error.code ?? ''] ?? error.message, { cause: error });
}
