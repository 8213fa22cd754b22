import type { Problem } from '../common/problem/problem.js';

/**
 * A request, or without an id a notification. The id is kept as the JSON it came as: a number past 2^53 would otherwise
 * come back as another (JSON-RPC 2.0, section 5: "It MUST be the same").
 */
export interface RpcCall {
  id?: string;
  method: string;
  /** By name or by position; which of the two a method takes is the method's. */
  params?: object;
}

/** A member of a request that is none: what is answered in its place, unless it was meant as a notification. */
export interface MalformedCall {
  id?: string;
  code: RpcCode;
  problem: Problem;
}

/** The id of an answer to what had no id that could be read. */
export const NO_ID = 'null';

/** Codes of JSON-RPC 2.0, section 5.1, and of the tool service (docs/agents.md). */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  unauthorized: -32000,
  forbidden: -32001,
  approvalRequired: -32002,
  shieldDenied: -32003,
  notFound: -32004,
  conflict: -32005,
  rateLimited: -32006,
  quotaExhausted: -32007,
  featureDisabled: -32008,
  upstream: -32009,
} as const;

export type RpcCode = (typeof RPC_CODES)[keyof typeof RPC_CODES];

/**
 * An expected failure of a call, which becomes the error of its response. `data` is the error body of the API (D10).
 */
export class RpcFailure extends Error {
  constructor(
    readonly code: RpcCode,
    message: string,
    readonly data?: Record<string, unknown>,
    options?: { cause?: Problem; text?: string },
  ) {
    super(message, options);
    this.text = options?.text;
  }

  /** What a model reads of it, where that is not the whole error as JSON. */
  readonly text: string | undefined;
}

/** What a called method receives: its name and parameters. */
export interface RpcInvocation {
  method: string;
  params?: object;
}
