import type { INestApplication } from '@nestjs/common';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { keepConstantAnswers } from './constant-answers.js';
import { byEffect, followLinks, replaceIdempotencyKey } from './docs-page-scripts.js';

/** The addresses of the page itself; its scripts and styles are next to it. */
const PAGES = new Set(['/docs', '/docs/', '/docs/index.html']);

/**
 * Scripts of this server alone, and calls to it alone. Styles stand in the page too, and its scripts add some; they run
 * no code.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Swagger UI at /docs. @param path of the document itself, without `.json` and `.yaml` */
export async function serveSwaggerUi(
  app: INestApplication,
  documents: { readonly whole: OpenAPIObject },
  path: string,
  title: string,
): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
  fastify.addHook('onRoute', (route) => {
    if (isPage(route.url, path)) route.config = { ...route.config, isPage: true };
    setPolicy(route);
  });
  await keepConstantAnswers(fastify, ({ config }) => Boolean(config?.isPage ?? config?.route?.constant));
  // A function, since the routes are known once the app is initialised.
  SwaggerModule.setup('docs', app, () => documents.whole, {
    jsonDocumentUrl: `${path}.json`,
    yamlDocumentUrl: `${path}.yaml`,
    customSiteTitle: title,
    swaggerOptions: {
      persistAuthorization: true,
      // Without null every visit under a name asks a third-party server whether the document is valid.
      validatorUrl: null,
      docExpansion: 'none',
      filter: true,
      operationsSorter: byEffect,
      requestInterceptor: replaceIdempotencyKey,
      plugins: [followLinks],
    },
  });
}

/** Whether anyone may read what is at this address: the page, what belongs to it, and the document. */
const isPage = (url: string, path: string): boolean =>
  url === '/docs' || url.startsWith('/docs/') || [`/${path}.json`, `/${path}.yaml`].includes(url);

function setPolicy(route: RouteOptions): void {
  if (!PAGES.has(route.url)) return;
  route.onRequest = (_request, reply, done) => {
    void reply.headers({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' });
    done();
  };
}
