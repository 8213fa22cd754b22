import { Catch, Inject, type ArgumentsHost, type RpcExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';
import { isDatabaseUnavailable } from '../common/database/unavailable.js';
import { LOG, type Log } from '../common/observability/log.js';
import { ServiceUnavailable } from '../common/problem/house-problems.js';
import { Problem } from '../common/problem/problem.js';
import { RPC_CODES, RpcFailure } from './json-rpc.js';
import type { Peer } from './peer.js';
import { failureOfProblem } from './tools/tool-errors.js';

/** Turns whatever a method throws into the error its caller is answered with. A fault of ours is logged once and told as -32603 with the request's id alone. */
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
      const problem = new ServiceUnavailable({ retryAfterSec: 1 }, 'The database is not reachable just now; try again');
      return failureOfProblem(problem, requestId);
    }
    this.log.error({ request_id: requestId, error }, 'a call failed');
    return new RpcFailure(RPC_CODES.internalError, 'Internal error', {
      type: 'InternalError',
      status: 500,
      request_id: requestId,
    });
  }
}
