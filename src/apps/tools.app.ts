import { Module, type DynamicModule, type INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CoreModule, type ProcessParts } from '../common/core/core.module.js';
import { makeHttpServer } from '../common/http/http-server.js';
import { refuseForeign } from '../common/http/own-hosts.js';
import { OperationsModule } from '../modules/operations/operations.module.js';
import { TOOLS_OPERATIONS } from '../modules/operations/tools-operations.js';
import { McpStdio } from '../rpc/mcp/mcp-stdio.js';
import { NatsMouth } from '../rpc/mouths/nats.mouth.js';
import { StdioMouth, type StdioParts } from '../rpc/mouths/stdio.mouth.js';
import { RpcModule } from '../rpc/rpc.module.js';
import { RpcServer, type Mouth } from '../rpc/rpc.server.js';
import { listen, makeHttpApp, serveDocument, type RunningApp } from './http-app.js';

/** The tool service: which rooms it opens, nothing else. */
@Module({})
export class ToolsModule {
  /** @param rooms what answers calls */
  static of(parts: ProcessParts, ...rooms: DynamicModule[]): DynamicModule {
    return { module: ToolsModule, imports: [CoreModule.of(parts), OperationsModule.of(TOOLS_OPERATIONS), ...rooms] };
  }
}

/** Opens the tool service on the address of the settings. */
export async function openTools(parts: ProcessParts): Promise<RunningApp> {
  const { tools } = parts.settings;
  const { app } = await makeTools(parts, mouthsOf(parts));
  serveDocument(app, {
    title: 'svc tool service',
    description:
      'The tools of the tenant API for agents, by JSON-RPC 2.0 and MCP. GET /capabilities describes every tool; every failure over HTTP has one body, ProblemBody.',
    version: '0.1.0',
    server: tools.publicUrl ?? '/',
  });
  await app.startAllMicroservices();
  return listen(app, tools);
}

/** The same without a listener: for whoever holds the other end of a pipe. */
export async function openOnPipe(
  parts: ProcessParts,
  pipe: Pick<StdioParts, 'input' | 'output' | 'credential'>,
): Promise<{ app: INestApplication; mouth: StdioMouth }> {
  const { app, rpc } = await makeTools(parts, []);
  await app.startAllMicroservices();
  await app.init();
  const { maxBodyBytes } = parts.settings.tools;
  const mouth = new StdioMouth({ ...pipe, server: rpc, mcp: app.get(McpStdio), maxLineBytes: maxBodyBytes });
  return { app, mouth };
}

async function makeTools(
  parts: ProcessParts,
  mouths: Mouth[],
): Promise<{ app: NestFastifyApplication; rpc: RpcServer }> {
  const { settings, log, metrics } = parts;
  const { maxBodyBytes } = settings.tools;
  const { requestTimeoutMs } = settings.api;
  const server = makeHttpServer(
    { maxBodyBytes, requestTimeoutMs, refuse: refuseForeign(settings.tools) },
    log,
    metrics,
  );
  const rpc = new RpcServer(mouths);
  const app = await makeHttpApp(ToolsModule.of(parts, RpcModule.of(rpc)), server, parts);
  // Without inheritAppConfig the guards of HTTP requests do not run on its methods; ToolsController names its own.
  app.connectMicroservice({ strategy: rpc });
  return { app, rpc };
}

/** Those that are not part of the HTTP listener. */
function mouthsOf({ settings: { outbox, tools }, log, metrics }: ProcessParts): Mouth[] {
  if (outbox.natsUrl === undefined) return [];
  return [new NatsMouth({ url: outbox.natsUrl, subject: tools.natsSubject, log, metrics })];
}
