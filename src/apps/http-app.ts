import 'reflect-metadata';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { describeApi, type DocumentTitle } from '../common/contract/openapi.js';
import type { ProcessParts } from '../common/core/core.module.js';
import { bracketed } from '../common/http/bound-address.js';
import { NestLog } from '../common/observability/log.js';

export interface RunningApp {
  app: NestFastifyApplication;
  /** Where it listens. */
  url: string;
}

/** A Nest app on its HTTP server, not yet listening. */
export function makeHttpApp(
  module: DynamicModule,
  server: FastifyAdapter,
  { log }: Pick<ProcessParts, 'log'>,
): Promise<NestFastifyApplication> {
  return NestFactory.create<NestFastifyApplication>(module, server, {
    bodyParser: false,
    logger: new NestLog(log),
    abortOnError: false,
  });
}

/** Swagger UI at /docs, the document itself at /openapi.json. */
export function serveDocument(app: NestFastifyApplication, title: DocumentTitle): void {
  SwaggerModule.setup('docs', app, describeApi(app, title), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: title.title,
    swaggerOptions: { persistAuthorization: true },
  });
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
