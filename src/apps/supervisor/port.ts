import { createServer } from 'node:net';

/**
 * The port to give to the apps: `port` when it is free, a free one when it is 0 (so that it stays the same through restarts).
 * @throws Error with the remedy when something listens there
 */
export async function claimPort(host: string, port: number): Promise<number> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
    return (server.address() as { port: number }).port;
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, host, port);
  } finally {
    server.close();
  }
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const remedies: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is in use (is svc running already?). Stop the other program, or set SVC_API_PORT.`,
    EACCES: `Port ${port} of ${host} needs rights this process lacks. Set SVC_API_PORT to 1024 or more.`,
    EADDRNOTAVAIL: `${host} is no address of this machine. Set SVC_API_HOST.`,
  };
  return new Error(remedies[error.code ?? ''] ?? error.message, { cause: error });
}
