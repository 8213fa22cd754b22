import type { INestApplication } from '@nestjs/common';
import { SwaggerModule, type DocumentBuilder, type OpenAPIObject } from '@nestjs/swagger';
import { describeApi } from '../common/contract/openapi.js';
import { DaemonProblem } from './problems/daemon-problem-body.js';

const addCredentials = (builder: DocumentBuilder): DocumentBuilder =>
  builder
    .addBearerAuth(
      {
        type: 'http',
        description:
          'A token of the mode jwt_hs256 or jwt_jwks (`svc token` mints one); in dev_scopes a list of scopes. x-scopes of an operation says which it takes.',
      },
      'bearer',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'x-svc-scopes', description: 'Scopes, in the mode dev_scopes alone.' },
      'devScopes',
    );

/** The daemon's whole document: everything it serves, the legacy rails too. */
export function describeDaemon(app: INestApplication, version: string): OpenAPIObject {
  return describeApi(
    app,
    {
      title: 'svc memory daemon',
      description:
        'Facts, graph, streams and evidence for agents and their teams. Every failure has one body, DaemonProblem (RFC 9457). The route manifest is at /v1/openapi.json.',
      version,
      server: '/',
    },
    { addCredentials, problemBody: DaemonProblem },
  );
}

type Operation = Record<string, unknown>;

/** The route manifest: the document without what memory-daemon.md 9 leaves out of it, and without the schemas that only that refers to. */
export function manifestOf(document: OpenAPIObject): OpenAPIObject {
  const listed = Object.entries(document.paths).filter(([, item]) =>
    Object.values(item as Record<string, Operation>).some((operation) => !operation['x-unlisted']),
  );
  const paths = Object.fromEntries(listed);
  const { schemas = {}, ...components } = document.components ?? {};
  const used = schemasUsedIn(paths, schemas);
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
  return { ...document, paths, components: { ...components, schemas: kept } };
}

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;

/** The names of the schemas that something refers to, directly or through another schema. */
function schemasUsedIn(start: unknown, schemas: Record<string, unknown>): Set<string> {
  const used = new Set<string>();
  const follow = (node: unknown): void => {
    for (const [, name] of JSON.stringify(node).matchAll(REFERENCE)) {
      if (name === undefined || used.has(name)) continue;
      used.add(name);
      follow(schemas[name] ?? {});
    }
  };
  follow(start);
  return used;
}

/** Swagger UI at /docs with the whole document, which stands at /docs/openapi.json. */
export function serveDocs(app: INestApplication, document: OpenAPIObject): void {
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: 'docs/openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
    customSiteTitle: document.info.title,
    swaggerOptions: { persistAuthorization: true },
  });
}
