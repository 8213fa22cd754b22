import { Module, type DynamicModule, type INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { signInUrlOf } from '../common/config/server-urls.js';
import { showBuild } from '../common/observability/build-metric.js';
import type { ProcessContext } from '../common/process-context.js';
import { CoreModule } from './core.module.js';
import { makeHttpServer } from '../common/http/http-server.js';
import { OwnHosts } from '../common/http/own-hosts.js';
import { OperationsModule } from '../common/health/operations.module.js';
import { TOOLS_OPERATIONS } from '../common/health/tools-operations.js';
import { McpStdio } from '../rpc/mcp/mcp-stdio.js';
import { NatsTransport } from '../rpc/transports/nats.transport.js';
import { StdioTransport, type StdioOptions } from '../rpc/transports/stdio.transport.js';
import { RpcModule } from '../rpc/rpc.module.js';
import { RpcServer, type Transport } from '../rpc/rpc.server.js';
import { tenantApiContract } from '../common/contract/tenant-api-contract.js';
import { listen, makeHttpApp, type RunningApp } from './http-app.js';

/** The tool service: which modules it imports, nothing else. */
@Module({})
export class ToolsModule {
  /** @param modules that answer calls */
  static of(parts: ProcessContext, ...modules: DynamicModule[]): DynamicModule {
    return {
      module: ToolsModule,
      imports: [
        CoreModule.of(parts, { contract: toolsContract(parts), mcpUrl: signInUrlOf(parts.settings, 'tools') }),
        OperationsModule.of(TOOLS_OPERATIONS),
        ...modules,
      ],
    };
  }
}

export const toolsContract = ({ settings }: Pick<ProcessContext, 'settings'>) =>
  tenantApiContract({
    title: 'svc tool service',
    description:
      'The tools of the tenant API for agents, by JSON-RPC 2.0 and MCP. GET /capabilities describes every tool; every failure over HTTP has one body, ProblemBody.',
    version: '0.1.0',
    server: settings.tools.publicUrl ?? '/',
  });

/** Opens the tool service on the address of the settings. */
export async function openTools(parts: ProcessContext): Promise<RunningApp> {
  const { tools } = parts.settings;
  const { app } = await makeTools(parts, makeTransports(parts));
  await app.startAllMicroservices();
  return listen(app, tools);
}

/** The same without a listener: for the client at the other end of a pipe. */
export async function openOnPipe(
  parts: ProcessContext,
  pipe: Pick<StdioOptions, 'input' | 'output' | 'credential'>,
): Promise<{ app: INestApplication; transport: StdioTransport }> {
  const { app, rpc } = await makeTools(parts, []);
  await app.startAllMicroservices();
  await app.init();
  const { maxBodyBytes, stdioToolSet: toolSet } = parts.settings.tools;
  const served = { server: rpc, mcp: app.get(McpStdio), toolSet, log: parts.log };
  const transport = new StdioTransport({ ...pipe, ...served, maxLineBytes: maxBodyBytes });
  return { app, transport };
}

async function makeTools(
  parts: ProcessContext,
  transports: Transport[],
): Promise<{ app: NestFastifyApplication; rpc: RpcServer }> {
  const { settings, stopping } = parts;
  showBuild(parts.metrics, 'tools');
  const { maxBodyBytes } = settings.tools;
  const { requestTimeoutMs } = settings.api;
  const ownHosts = new OwnHosts(settings, { ...settings.tools, speaksMcp: true });
  const server = makeHttpServer({ maxBodyBytes, requestTimeoutMs, ownHosts, stopping }, parts);
  const rpc = new RpcServer(transports, parts.log);
  const app = await makeHttpApp(ToolsModule.of(parts, RpcModule.of(rpc)), server, parts);
  // Without inheritAppConfig the guards of HTTP requests do not run on its methods; ToolsController names its own.
  app.connectMicroservice({ strategy: rpc });
  return { app, rpc };
}

/** Those that are not part of the HTTP listener. */
function makeTransports({ settings: { outbox, tools }, log, metrics }: ProcessContext): Transport[] {
  if (outbox.natsUrl === undefined) return [];
  return [new NatsTransport({ url: outbox.natsUrl, subject: tools.natsSubject, log, metrics })];
}
