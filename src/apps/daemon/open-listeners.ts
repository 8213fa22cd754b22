import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ProcessContext } from '../../common/process-context.js';
import { openGrpc } from './grpc/grpc-listener.js';
import { Listeners } from './listeners.js';
import { openMcp } from './mcp/mcp-listener.js';

export interface ListenersOpened {
  /** undefined while SVCD_MCP_ENABLED is off. */
  mcpUrl: string | undefined;
  /** `host:port`. */
  grpcAddress: string;
}

/** Opens the listeners other than HTTP, which is open already. @param url where HTTP listens */
export async function openListeners(
  parts: ProcessContext,
  app: NestFastifyApplication,
  url: string,
): Promise<ListenersOpened> {
  const { settings, log, stopping } = parts;
  const listeners = app.get(Listeners);
  const grpc = listeners.add(await openGrpc(settings, url, stopping));
  const mcp = settings.flags.mcp ? listeners.add(await openMcp(parts, app)) : undefined;
  log.info({ grpc: grpc.address, mcp: mcp?.url }, 'gRPC and MCP are open');
  return { mcpUrl: mcp?.url, grpcAddress: grpc.address };
}
