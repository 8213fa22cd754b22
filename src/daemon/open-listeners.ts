import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ProcessParts } from '../common/core/core.module.js';
import { openGrpc } from './grpc/grpc-listener.js';
import { Listeners } from './listeners.js';
import { openMcp } from './mcp/mcp-listener.js';

export interface ListenersOpened {
  /** undefined while SVCD_MCP_ENABLED is off. */
  mcpUrl: string | undefined;
  /** `host:port`. */
  grpcAddress: string;
}

/** Opens the listeners beside HTTP, which is open. @param url where HTTP listens */
export async function openListeners(
  parts: ProcessParts,
  app: NestFastifyApplication,
  { url, document }: { url: string; document: OpenAPIObject },
): Promise<ListenersOpened> {
  const { settings, log } = parts;
  const listeners = app.get(Listeners);
  const grpc = listeners.add(await openGrpc(settings.daemon, url));
  const http = app.getHttpAdapter().getInstance();
  const mcp = settings.flags.mcp ? listeners.add(await openMcp(parts, http, document)) : undefined;
  log.info({ grpc: grpc.address, mcp: mcp?.url }, 'gRPC and MCP are open');
  return { mcpUrl: mcp?.url, grpcAddress: grpc.address };
}
