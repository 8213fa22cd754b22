import { Inject, Injectable, type Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { fieldsOf, type JsonSchema } from '../fields/fields.js';
import { isRequired, memberSchemaOf, objectSchemaOf } from '../fields/json-schema.js';
import type { DocumentedBody, DocumentedParameter, DocumentedResponse, RouteRecord } from './contract.js';
import { problemResponses } from './problem-responses.js';
import { RouteManifest } from './route-manifest.js';
import { SERVER_CONTRACT, type ServerContract } from './server-contract.js';

/** The OpenAPI 3.1 documents of the running app, made of the route declarations when they are first read (D38). */
@Injectable()
export class OpenApiDocuments {
  private all: OpenAPIObject | undefined;
  private manifestAlone: OpenAPIObject | undefined;

  constructor(
    private readonly manifest: RouteManifest,
    @Inject(SERVER_CONTRACT) private readonly contract: ServerContract,
  ) {}

  /** Of every route. */
  get whole(): OpenAPIObject {
    return (this.all ??= describeRoutes(this.manifest.routes, this.contract));
  }

  /** Without the routes that are left out of the route manifest (memory-daemon.md 9). */
  get listed(): OpenAPIObject {
    const listed = () => this.manifest.routes.filter(({ unlisted }) => !unlisted);
    return (this.manifestAlone ??= describeRoutes(listed(), this.contract));
  }
}

/** The document of some routes, with the schemas and the kinds of credential that they use. */
function describeRoutes(routes: readonly RouteRecord[], contract: ServerContract): OpenAPIObject {
  const components = new Components();
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const item = (paths[templateOf(route.path)] ??= {});
    item[route.verb.toLowerCase()] = new OperationWriter(route, contract, components).write();
  }
  const used = new Set(routes.flatMap((route) => contract.credentialsOf(route)).flatMap((one) => Object.keys(one)));
  const schemes = Object.entries(contract.securitySchemes).filter(([name]) => used.has(name));
  const { server, ...info } = contract.title;
  return {
    openapi: '3.1.0',
    info: { ...info, license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' } },
    servers: [{ url: server }],
    paths,
    components: { securitySchemes: Object.fromEntries(schemes), schemas: components.schemas },
  } as OpenAPIObject;
}

/** A path as OpenAPI writes it; the rest of a path is the parameter `path`. */
const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}');

/** The schemas of the classes that were referred to, by the name of the class. */
class Components {
  readonly schemas: Record<string, JsonSchema> = {};
  private readonly types = new Map<string, Type>();

  readonly refer = (type: Type): JsonSchema => {
    const { name } = type;
    if ((this.types.get(name) ?? type) !== type) throw new Error(`Two classes of the document are called ${name}`);
    if (!this.types.has(name)) {
      this.types.set(name, type);
      this.schemas[name] = objectSchemaOf(type, 'component', this.refer);
    }
    return { $ref: `#/components/schemas/${name}` };
  };

  /** A schema in which classes stand for themselves, with references in place of them. */
  resolve(source: unknown): unknown {
    if (typeof source === 'function') return this.refer(source as Type);
    if (Array.isArray(source)) return source.map((item) => this.resolve(item));
    if (typeof source !== 'object' || source === null) return source;
    return Object.fromEntries(Object.entries(source).map(([key, value]) => [key, this.resolve(value)]));
  }
}

interface ResponseObject {
  description: string;
  headers?: object;
  content?: Record<string, object>;
}

/** Writes the OpenAPI operation of one route. */
class OperationWriter {
  constructor(
    private readonly route: RouteRecord,
    private readonly contract: ServerContract,
    private readonly components: Components,
  ) {}

  write(): object {
    const { tag, summary, description, operationId } = this.route;
    const requestBody = this.requestBody();
    return {
      tags: [tag],
      operationId,
      summary,
      ...(description === undefined ? {} : { description }),
      parameters: this.parameters(),
      ...(requestBody ? { requestBody } : {}),
      responses: this.responses(),
      security: this.contract.credentialsOf(this.route),
      ...this.contract.extensionsOf(this.route),
    };
  }

  private parameters(): object[] {
    const { inputs, parameters = [] } = this.route;
    return [
      ...this.membersOf('path', inputs.path),
      ...this.membersOf('query', inputs.query),
      ...[...this.contract.headersOf(this.route), ...parameters].map(parameterOf),
    ];
  }

  private membersOf(place: 'path' | 'query', type: Type | undefined): object[] {
    return (type ? fieldsOf(type) : []).map((field) => {
      const { description, ...schema } = memberSchemaOf(field, 'component', this.components.refer);
      return {
        name: field.name,
        in: place,
        required: place === 'path' || isRequired(field, 'component'),
        description,
        schema,
      };
    });
  }

  private requestBody(): object | undefined {
    const { inputs, requestBody } = this.route;
    if (requestBody) return { required: true, ...requestBody, content: this.contentOf(requestBody.content) };
    const schema = inputs.bodyList
      ? { type: 'array', maxItems: inputs.bodyList.max, items: this.components.refer(inputs.bodyList.type) }
      : inputs.body && this.components.refer(inputs.body);
    return schema && { required: true, content: { 'application/json': { schema } } };
  }

  private responses(): Record<string, object> {
    const { reply, problems, responses = {} } = this.route;
    const { problemForm } = this.contract;
    const all: Record<string, ResponseObject> = {
      [reply.status]: this.success(),
      ...problemResponses(problems, problemForm, this.components.refer(problemForm.body)),
    };
    for (const [status, response] of Object.entries(responses)) all[status] = this.addTo(all[status], response);
    return all;
  }

  /** A documented response, with what a reply or problems of the same status may be. */
  private addTo(known: ResponseObject | undefined, { content = {}, ...response }: DocumentedResponse): ResponseObject {
    const all = { ...known?.content, ...this.contentOf(content) };
    const description = known ? `${known.description}. ${response.description}` : response.description;
    return { ...known, ...response, description, ...(Object.keys(all).length > 0 ? { content: all } : {}) };
  }

  private success(): ResponseObject {
    const { summary: description, reply, alsoAs = [] } = this.route;
    const { contentType, schema = { type: 'string' }, type } = reply;
    if (contentType)
      return { description, content: { [contentType]: { schema: this.orOff(this.components.resolve(schema)) } } };
    if (!type) return { description };
    const content: Record<string, object> = {
      'application/json': { schema: this.orOff(this.components.refer(type)) },
    };
    for (const other of alsoAs) content[other] = { schema: { type: 'string', format: 'binary' } };
    return { description, content };
  }

  /** With what is answered in its place while its plane is off, where that is an answer of the same status. */
  private orOff(schema: unknown): object {
    const off = this.contract.offSchema?.(this.route);
    return off ? { oneOf: [schema, off] } : (schema as object);
  }

  private contentOf(content: DocumentedBody['content']): Record<string, object> {
    return Object.fromEntries(
      Object.entries(content).map(([type, media]) => [
        type,
        { ...media, schema: this.components.resolve(media.schema) },
      ]),
    );
  }
}

const parameterOf = ({ in: place = 'header', required = false, schema, ...rest }: DocumentedParameter): object => ({
  ...rest,
  in: place,
  required,
  schema: schema ?? { type: 'string' },
});
