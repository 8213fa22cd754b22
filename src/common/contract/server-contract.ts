import type { Type } from '@nestjs/common';
import { SESSION_HEADER } from '../http/agent-session.js';
import type { ProblemClass } from '../problem/problem.js';
import type { ProblemWriter } from '../problem/send-problem.js';
import type { Access, DocumentedParameter, RouteRecord } from './contract.js';

/** The header of an agent's session, which every route with a credential reads. */
export const SESSION_PARAMETER: DocumentedParameter = {
  name: SESSION_HEADER,
  description:
    'The run of an agent that the request belongs to, by a name of its own choosing: receipts of what the request does bear it as session_id, and GET /v1/receipts/list of the memory daemon filters by it.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
};

/** The {@link ServerContract} of the app. */
export const SERVER_CONTRACT = Symbol('server contract');

/** How a server writes its problems on the wire. */
export interface ProblemForm {
  contentType: string;
  body: Type;
  /** The body of a case. */
  bodyOf: ProblemWriter['bodyOf'];
  /** The `type` member of a kind of problem. */
  typeOf: (kind: ProblemClass) => string;
}

/** A group of routes: its name is the `tag` of their declarations. */
export interface TagNote {
  name: string;
  description: string;
}

/** What the OpenAPI document says about the server as a whole. */
export interface DocumentTitle {
  title: string;
  description: string;
  version: string;
  /** Where the routes are: a URL, or a path of wherever the document was read from. */
  server: string;
}

/** What holds for every route of one server in addition to the route's own declaration. */
export interface ServerContract {
  title: DocumentTitle;
  /** All groups of its routes, in the order in which they are read: its main job first. */
  tags: readonly TagNote[];
  /** What its guards can decide on: a route that asks for anything else stops the start. */
  accessKinds: readonly Access['kind'][];
  problemForm: ProblemForm;
  /** Problems that a route may answer without declaring them. */
  problemsOf(route: RouteRecord): ProblemClass[];
  /** OpenAPI security schemes, by name. */
  securitySchemes: Readonly<Record<string, object>>;
  /** Each alternative by which a caller may present itself, as names of security schemes. */
  credentialsOf(route: RouteRecord): Record<string, string[]>[];
  /** Headers that the server reads for the route. */
  headersOf(route: RouteRecord): readonly DocumentedParameter[];
  /** The body of a 200 that says that the route's plane is off. */
  offSchema?(route: RouteRecord): object | undefined;
  /** The `x-` members of the operation. */
  extensionsOf(route: RouteRecord): Record<`x-${string}`, unknown>;
}
