import type { FastifyRequest } from 'fastify';
import type { JsonSchema } from '../fields/fields.js';

/** A tool as whatever offers it to models has to describe it. */
export interface OfferedTool {
  name: string;
  description: string;
  parameters: JsonSchema;
  isRead: boolean;
  /** The scopes of its route: any of them, or all. */
  scopes: { kind: 'any' | 'all'; scopes: readonly string[] };
}

/** How a call ended: with the answer of its route, or with a problem. */
export interface ToolOutcome {
  isError: boolean;
  answer: Record<string, unknown>;
  /** The same as JSON. */
  text: string;
}

/**
 * The tools of the server and the one way to call them, whatever asks for it: the route of the tool, with the
 * credential of the request. The app says what they are.
 */
export abstract class ToolDispatcher {
  abstract list(): readonly OfferedTool[];

  /** @param request whose credential counts. A tool that is unknown is an outcome too. */
  abstract call(name: string, given: Record<string, unknown>, request: FastifyRequest): Promise<ToolOutcome>;
}
