import {
  ProtocolError,
  Server,
  type Implementation,
  type JSONRPCRequest,
  type Result,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { isDatabaseUnavailable } from '../../common/database/unavailable.js';
import type { Log } from '../../common/observability/log.js';
import { databaseUnavailable } from '../../common/problem/common-problems.js';
import { Problem } from '../../common/problem/problem.js';
import { RPC_CODES, RpcFailure } from '../json-rpc.js';
import { failureOfProblem } from '../tools/tool-errors.js';
import { protocolErrorOf } from './mcp-results.js';
import { findMismatch } from './params-mismatch.js';

/** What a server says of its own faults: where they are recorded, and under which request. */
interface Faults {
  log: Log;
  requestId: () => string;
}

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/**
 * A server of the SDK that answers failures as the protocol has them. By itself the SDK answers parameters of a wrong
 * type as an internal error, with all that its validator found as JSON, and shows the message of every other error.
 */
export class CheckedServer extends Server {
  constructor(
    identity: Implementation,
    options: ServerOptions,
    private readonly faults: Faults,
  ) {
    super(identity, options);
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        throw context.mcpReq.signal.aborted ? error : this.answerTo(error);
      }
    };
  }

  private answerTo(error: unknown): ProtocolError {
    const issues = findMismatch(error);
    if (issues) {
      const text = issues.map(({ path, message }) => `${path} ${message}`).join('; ');
      return new ProtocolError(RPC_CODES.invalidParams, `Invalid params: ${text}`, { issues });
    }
    if (error instanceof ProtocolError) return error;
    if (error instanceof RpcFailure) return protocolErrorOf(error);
    const { log, requestId } = this.faults;
    const request_id = requestId();
    if (error instanceof Problem) return protocolErrorOf(failureOfProblem(error, request_id));
    if (isDatabaseUnavailable(error)) {
      log.warn({ request_id, error }, 'the database did not answer');
      return protocolErrorOf(failureOfProblem(databaseUnavailable(), request_id));
    }
    log.error({ request_id, error }, 'an MCP request failed');
    return new ProtocolError(RPC_CODES.internalError, 'Internal error', { request_id });
  }
}
