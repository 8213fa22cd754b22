import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { SESSION_COOKIE } from '../sessions/session-cookie.js';
import { ProblemBody } from '../problem/problem-body.js';

/** What the document says about the server as a whole. */
export interface DocumentTitle {
  title: string;
  description: string;
  version: string;
  server: string;
}

/** The complete OpenAPI 3.1 document of the running app, made from the route declarations (D38). */
export function describeApi(
  app: INestApplication,
  { title, description, version, server }: DocumentTitle,
): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(title)
    .setDescription(description)
    .setVersion(version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer(server)
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-tenant-id', description: 'The tenant.' }, 'tenantId')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key of that tenant.' }, 'apiKey')
    .addApiKey(
      { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE, description: 'The session of a signed-in browser.' },
      'session',
    )
    .addBearerAuth(
      { type: 'http', description: 'The sessionToken of an agent that registered itself: svc_self_...' },
      'selfSignup',
    )
    .build();
  const document = SwaggerModule.createDocument(app, config, { extraModels: [ProblemBody], autoTagControllers: false });
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item as Record<string, { security?: unknown[]; responses?: unknown }>)) {
      if (typeof operation === 'object' && operation.responses) operation.security ??= [];
    }
  }
  modernise(document);
  return document;
}

type Node = Record<string, unknown>;

/** Writes what the library still says in OpenAPI 3.0 words in those of 3.1: a nullable schema is a union with null. */
function modernise(node: unknown): void {
  if (Array.isArray(node)) return node.forEach(modernise);
  if (typeof node !== 'object' || node === null) return;
  const schema = node as Node;
  for (const value of Object.values(schema)) modernise(value);
  if (schema.nullable === true) {
    delete schema.nullable;
    makeNullable(schema);
  }
}

function makeNullable(schema: Node): void {
  if (typeof schema.type === 'string') {
    schema.type = [schema.type, 'null'];
    if (Array.isArray(schema.enum)) schema.enum = [...(schema.enum as unknown[]), null];
    return;
  }
  const { description, ...rest } = schema;
  for (const key of Object.keys(schema)) delete schema[key];
  Object.assign(schema, { description, anyOf: [rest, { type: 'null' }] });
}
