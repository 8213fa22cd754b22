import 'reflect-metadata';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { OpenApiDocuments } from '../common/contract/openapi.js';
import { SERVER_CONTRACT, type ServerContract } from '../common/contract/server-contract.js';
import type { ProcessContext } from '../common/process-context.js';
import { bracketed } from '../common/http/bound-address.js';
import { serveSwaggerUi } from '../common/http/swagger-ui.js';
import { NestLog } from '../common/observability/log.js';
import { RouteGuards } from '../guards/route-guards.js';

export interface RunningApp {
  app: NestFastifyApplication;
  /** Where it listens. */
  url: string;
}

/**
 * A Nest app on its HTTP server, not yet listening, with Swagger UI at /docs.
 * @param documentPath of the OpenAPI document, without `.json` and `.yaml`
 */
export async function makeHttpApp(
  module: DynamicModule,
  server: FastifyAdapter,
  { log }: Pick<ProcessContext, 'log'>,
  documentPath = 'openapi',
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(module, server, {
    bodyParser: false,
    logger: new NestLog(log),
    abortOnError: false,
  });
  app.get(RouteGuards).install(app.getHttpAdapter().getInstance());
  const { title } = app.get<ServerContract>(SERVER_CONTRACT).title;
  await serveSwaggerUi(app, app.get(OpenApiDocuments), documentPath, title);
  return app;
}

/** Binds an app to the address of its settings. */
export async function listen(
  app: NestFastifyApplication,
  { host, port, processes }: { host: string; port: number; processes: number },
): Promise<RunningApp> {
  // reusePort lets several processes share the port; the kernel spreads the connections.
  const binding = { host, port, reusePort: processes > 1 };
  await app.listen(binding);
  const bound = app.getHttpServer().address() as { port: number };
  return { app, url: `http://${bracketed(host)}:${bound.port}` };
}
