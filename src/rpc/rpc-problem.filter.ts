import { Catch, Inject, type ArgumentsHost, type RpcExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';
import { isDatabaseUnavailable } from '../common/database/unavailable.js';
import { LOG, type Log } from '../common/observability/log.js';
import { databaseUnavailable } from '../common/problem/common-problems.js';
import { Problem } from '../common/problem/problem.js';
import { RPC_CODES, RpcFailure } from './json-rpc.js';
import type { Peer } from './peer.js';
import { failureOfProblem } from './tools/tool-errors.js';

/**
 * Maps what a method throws to the error of the response. An internal error is logged once and returned as -32603 with
 * the request id alone.
 */
@Catch()
export class RpcProblemFilter implements RpcExceptionFilter {
  constructor(@Inject(LOG) private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): Observable<never> {
    const { requestId } = host.switchToRpc().getContext<Peer>();
    return throwError(() => this.failureOf(error, requestId));
  }

  private failureOf(error: unknown, requestId: string): RpcFailure {
    if (error instanceof RpcFailure) return error;
    if (error instanceof Problem) return failureOfProblem(error, requestId);
    if (isDatabaseUnavailable(error)) {
      this.log.warn({ request_id: requestId, error }, 'the database did not answer');
      return failureOfProblem(databaseUnavailable(), requestId);
    }
    this.log.error({ request_id: requestId, error }, 'a call failed');
    return new RpcFailure(RPC_CODES.internalError, 'Internal error', {
      type: 'InternalError',
      status: 500,
      request_id: requestId,
    });
  }
}
