import type { Problem } from '../common/problem/problem.js';

/** An id as it came: JSON-RPC 2.0, section 4. */
export type RpcId = string | number | null;

/** A request, or without an id a notification. */
export interface RpcCall {
  id?: RpcId;
  method: string;
  params?: object;
}

export interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

export type RpcAnswer =
  { jsonrpc: '2.0'; id: RpcId; result: unknown } | { jsonrpc: '2.0'; id: RpcId; error: RpcError };

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

/** A call that failed in a way its caller is told: what becomes the error of its answer. `data` is the one error body of the API (D10). */
export class RpcFailure extends Error {
  constructor(
    readonly code: RpcCode,
    message: string,
    readonly data?: Record<string, unknown>,
    options?: { cause?: Problem },
  ) {
    super(message, options);
  }
}
