import type { INestApplication, Type } from '@nestjs/common';
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

/** What a server's document says of its credentials and of its problems. */
export interface DocumentParts {
  addCredentials: (builder: DocumentBuilder) => DocumentBuilder;
  problemBody: Type;
}

const TENANT_API: DocumentParts = {
  addCredentials: (builder) =>
    builder
      .addApiKey({ type: 'apiKey', in: 'header', name: 'x-tenant-id', description: 'The tenant.' }, 'tenantId')
      .addApiKey(
        { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key of that tenant.' },
        'apiKey',
      )
      .addApiKey(
        { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE, description: 'The session of a signed-in browser.' },
        'session',
      )
      .addBearerAuth(
        { type: 'http', description: 'The sessionToken of an agent that registered itself: svc_self_...' },
        'selfSignup',
      )
      .addBearerAuth({ type: 'http', description: 'An API key, for clients that can send nothing else.' }, 'bearerKey'),
  problemBody: ProblemBody,
};

/** The complete OpenAPI 3.1 document of the running app, made from the route declarations (D38). */
export function describeApi(
  app: INestApplication,
  { title, description, version, server }: DocumentTitle,
  { addCredentials, problemBody } = TENANT_API,
): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(title)
    .setDescription(description)
    .setVersion(version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer(server);
  const config = addCredentials(builder).build();
  const document = SwaggerModule.createDocument(app, config, { extraModels: [problemBody], autoTagControllers: false });
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item as Record<string, Operation>)) {
      if (typeof operation === 'object' && operation.responses) operation.security ??= [];
    }
  }
  dropUnusedCredentials(document);
  modernise(document);
  return document;
}

/** A kind of credential that no route of this server takes is not told of. */
function dropUnusedCredentials({ paths, components }: OpenAPIObject): void {
  const operations = Object.values(paths).flatMap((item) => Object.values(item as Record<string, Operation>));
  const used = new Set(operations.flatMap(({ security = [] }) => security.flatMap((one) => Object.keys(one))));
  for (const name of Object.keys(components?.securitySchemes ?? {}))
    if (!used.has(name)) delete components!.securitySchemes![name];
}

interface Operation {
  security?: Record<string, string[]>[];
  responses?: unknown;
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
