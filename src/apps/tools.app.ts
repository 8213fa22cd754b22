import { Module, type DynamicModule } from '@nestjs/common';
import { CoreModule, type ProcessParts } from '../common/core/core.module.js';
import { makeHttpServer } from '../common/http/http-server.js';
import { refuseForeign } from '../common/http/own-hosts.js';
import { OperationsModule } from '../modules/operations/operations.module.js';
import { TOOLS_OPERATIONS } from '../modules/operations/tools-operations.js';
import { NatsMouth } from '../rpc/mouths/nats.mouth.js';
import { RpcModule } from '../rpc/rpc.module.js';
import { RpcServer, type Mouth } from '../rpc/rpc.server.js';
import { listen, makeHttpApp, type RunningApp } from './http-app.js';

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
  const { settings, log, metrics } = parts;
  const { tools, api } = settings;
  const server = makeHttpServer(
    {
      maxBodyBytes: tools.maxBodyBytes,
      requestTimeoutMs: api.requestTimeoutMs,
      refuse: refuseForeign(tools),
    },
    log,
    metrics,
  );
  const rpc = new RpcServer(mouthsOf(parts));
  const app = await makeHttpApp(ToolsModule.of(parts, RpcModule.of(rpc)), server, parts, {
    title: 'svc tool service',
    description:
      'The tools of the tenant API for agents, by JSON-RPC 2.0 and MCP. GET /capabilities describes every tool; every failure over HTTP has one body, ProblemBody.',
    version: '0.1.0',
    server: tools.publicUrl ?? '/',
  });
  // Without inheritAppConfig the guards of HTTP requests do not run on its methods; ToolsController names its own.
  app.connectMicroservice({ strategy: rpc });
  await app.startAllMicroservices();
  return listen(app, tools);
}

/** Those that are not part of the HTTP listener. */
function mouthsOf({ settings: { outbox, tools }, log, metrics }: ProcessParts): Mouth[] {
  if (outbox.natsUrl === undefined) return [];
  return [new NatsMouth({ url: outbox.natsUrl, subject: tools.natsSubject, log, metrics })];
}
