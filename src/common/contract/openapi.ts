import { Inject, Injectable, type Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { exampleOf, exampleOfField, valueOf } from '../fields/example.js';
import { fieldsOf, type FieldRecord, type JsonSchema } from '../fields/fields.js';
import { isRequired, memberSchemaOf, objectSchemaOf } from '../fields/json-schema.js';
import type {
  DocumentedBody,
  DocumentedParameter,
  DocumentedResponse,
  RouteRecord,
  SchemaSource,
  Trial,
  Verb,
} from './contract.js';
import { ProblemResponses } from './problem-responses.js';
import { linksOf } from './response-links.js';
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
  const problems = new ProblemResponses(contract.problemForm, components.refer(contract.problemForm.body));
  const paths: Record<string, Record<string, object>> = {};
  for (const route of inOrderOfReading(routes)) {
    const item = (paths[templateOf(route.path)] ??= {});
    item[route.verb.toLowerCase()] = new OperationWriter(route, { contract, components, problems, routes }).write();
  }
  const used = new Set(routes.flatMap((route) => contract.credentialsOf(route)).flatMap((one) => Object.keys(one)));
  const schemes = Object.entries(contract.securitySchemes).filter(([name]) => used.has(name));
  const { server, ...info } = contract.title;
  const tags = contract.tags.filter(({ name }) => routes.some(({ tag }) => tag === name));
  return {
    openapi: '3.1.0',
    info: {
      ...info,
      contact: { name: 'The operator of this server' },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: server }],
    tags,
    paths,
    components: {
      securitySchemes: Object.fromEntries(schemes),
      responses: problems.shared,
      schemas: components.schemas,
    },
  } as OpenAPIObject;
}

/** What others take something from comes before them (`Trial`). */
function inOrderOfReading(routes: readonly RouteRecord[]): Set<RouteRecord> {
  const byId = new Map(routes.map((route) => [route.operationId, route]));
  const shown = new Set<RouteRecord>();
  const show = (route: RouteRecord, waiting: readonly RouteRecord[]): void => {
    for (const id of shownBefore(route)) {
      const other = byId.get(id);
      if (other && !waiting.includes(other)) show(other, [...waiting, other]);
    }
    shown.add(route);
  };
  for (const route of routes.toSorted(byReading)) show(route, [route]);
  return shown;
}

const shownBefore = ({ tried: { from = {}, after = [] } = {} }: RouteRecord): readonly string[] => [
  ...Object.values(from).map((source) => source.split('#', 1)[0]!),
  ...after,
];

/**
 * As somebody reads and tries them: what is about all of a kind before what is about one, by path, and what makes
 * something before what shows, changes and removes it.
 */
function byReading(a: RouteRecord, b: RouteRecord): number {
  if (a.path === b.path) return VERBS.indexOf(a.verb) - VERBS.indexOf(b.verb);
  const isOfOne = ({ path }: RouteRecord) => Number(path.includes(':'));
  return isOfOne(a) - isOfOne(b) || (a.path < b.path ? -1 : 1);
}
const VERBS: readonly Verb[] = ['POST', 'PUT', 'GET', 'PATCH', 'DELETE'];

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

/** What the operations of a document have in common. */
interface Parts {
  contract: ServerContract;
  components: Components;
  problems: ProblemResponses;
  routes: readonly RouteRecord[];
}

interface ResponseObject {
  description: string;
  headers?: object;
  content?: Record<string, object>;
  links?: object;
}

/** Writes the OpenAPI operation of one route. */
class OperationWriter {
  private readonly contract: ServerContract;
  private readonly components: Components;

  constructor(
    private readonly route: RouteRecord,
    private readonly parts: Parts,
  ) {
    this.contract = parts.contract;
    this.components = parts.components;
  }

  write(): object {
    const { tag, summary, description, operationId } = this.route;
    const requestBody = this.requestBody();
    return {
      tags: [tag],
      operationId,
      summary,
      description: description ?? `${summary}.`,
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
        ...this.parameterExample(place, field),
      };
    });
  }

  private parameterExample(place: 'path' | 'query', field: FieldRecord): { example?: unknown } {
    const { [field.name]: tried } = this.route.tried?.parameters ?? {};
    if (tried !== undefined) return { example: tried };
    return place === 'path' || isRequired(field, 'component') ? { example: exampleOfField(field, 'request') } : {};
  }

  private requestBody(): object | undefined {
    const { inputs, requestBody, tried } = this.route;
    if (requestBody) return { required: true, ...requestBody, content: this.contentOf(requestBody.content) };
    const { body, bodyList: list } = inputs;
    if (list) {
      const schema = { type: 'array', maxItems: list.max, items: this.components.refer(list.type) };
      return bodyOf({ schema, example: [exampleOf(list.type, 'request')] });
    }
    return body && bodyOf({ schema: this.components.refer(body), example: withTried(body, tried?.body) });
  }

  private responses(): Record<string, object> {
    const { reply, problems, responses = {} } = this.route;
    const all: Record<string, ResponseObject | { $ref: string }> = { [reply.status]: this.success() };
    for (const [status, kinds] of Map.groupBy(problems, (kind) => kind.status))
      all[status] = responses[status] ? this.parts.problems.describe(kinds) : this.parts.problems.refer(kinds);
    for (const [status, response] of Object.entries(responses))
      all[status] = this.addTo(all[status] as ResponseObject | undefined, response);
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
    const found = linksOf(this.route, this.parts.routes);
    const links = Object.keys(found).length > 0 ? { links: found } : {};
    const { contentType, schema = textSchemaOf(contentType), type } = reply;
    if (contentType) {
      const media = { schema: this.orOff(this.components.resolve(schema)), ...shownAs(schema) };
      return { description, content: { [contentType]: media }, ...links };
    }
    if (!type) return { description };
    const content: Record<string, object> = {
      'application/json': { schema: this.orOff(this.components.refer(type)), example: exampleOf(type, 'reply') },
    };
    for (const other of alsoAs) {
      const { examples, ...text } = textSchemaOf(other);
      content[other] = examples ? { schema: text, example: examples[0] } : { schema: { ...text, format: 'binary' } };
    }
    return { description, content, ...links };
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
        {
          ...media,
          schema: this.components.resolve(media.schema),
          ...(media.examples || !isJson(type) ? {} : shownAs(media.schema)),
        },
      ]),
    );
  }
}

/** The example of a body with what is tried of it; what is `undefined` there is not shown. */
const withTried = (body: Type, tried: Trial['body']): object =>
  Object.fromEntries(
    Object.entries({ ...exampleOf(body, 'request'), ...tried }).filter(([, value]) => value !== undefined),
  );

const bodyOf = (media: object): object => ({ required: true, content: { 'application/json': media } });

const isJson = (contentType: string): boolean => /[/+]json\b/.test(contentType);

/** The schema of a text of this content type, with an example where the type has one form. */
function textSchemaOf(contentType = ''): { type: 'string'; examples?: string[] } {
  const known = TEXTS[contentType.split(';', 1)[0]!];
  return { type: 'string', ...(known ? { examples: [known] } : {}) };
}

const TEXTS: Readonly<Record<string, string>> = {
  'text/html': '<!doctype html>\n<html lang="en">...</html>\n',
  'text/markdown': '# Leave policy\n',
  'text/csv': 'model,calls\ntext-embedding-3-small,1\n',
  'text/event-stream':
    'id: 42\nevent: fact.stored\ndata: {"id":"42","type":"fact.stored","subject":"person:ada","time":"2026-01-31T12:00:00Z","tenant_id":"default","data":{}}\n\n',
  'text/plain':
    '# HELP svc_inflight_requests Requests that are being answered.\n# TYPE svc_inflight_requests gauge\nsvc_inflight_requests 1\n',
  'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>',
  'application/x-ndjson': '{"jsonrpc":"2.0","id":1,"result":{}}\n',
};

const shownAs = (source: SchemaSource): object => {
  const example = exampleOfSource(source);
  return example === undefined ? {} : { example };
};

/** An example of what a class or a schema with classes in it describes. */
function exampleOfSource(source: SchemaSource): unknown {
  if (typeof source === 'function') return exampleOf(source, 'reply');
  const choice = ((source.oneOf ?? source.anyOf) as SchemaSource[] | undefined)?.[0];
  if (choice) return exampleOfSource(choice);
  const isText = source.type === 'string' && !source.examples;
  return isText ? undefined : valueOf(source, 'value');
}

const parameterOf = ({ in: place = 'header', required = false, schema, ...rest }: DocumentedParameter): object => ({
  ...rest,
  in: place,
  required,
  schema: schema ?? { type: 'string' },
});
