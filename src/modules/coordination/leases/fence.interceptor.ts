import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { routeOf } from '../../../common/contract/contract.js';
import { fenceIn } from '../../../common/contract/fence.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { FenceCheckService } from './fence-check.service.js';

/**
 * X-Svc-Fence of whatever is no GET. TenantResolver makes the check in the first unit of work of the request, whose
 * rows then stand or fall with the lease: what comes later may write on, for what it completes has been done. A route
 * that is `fenced` checks by itself, once the work item or the tenant's paths are locked.
 */
@Injectable()
export class FenceInterceptor implements NestInterceptor {
  constructor(
    private readonly fences: FenceCheckService,
    private readonly tenancy: Tenancy,
  ) {}

  /** @throws ValidationFailed for what cannot be a fence */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { daemonCaller: caller } = request;
    const isChecked = caller !== undefined && request.method !== 'GET' && !routeOf(request)?.fenced;
    const fence = isChecked ? fenceIn(request) : undefined;
    if (caller && fence !== undefined)
      request.daemonCaller = { ...caller, checkFence: firstOf(this.tenancy, () => this.fences.check(fence)) };
    return next.handle();
  }
}

/** Does it once, and again only where the unit of work that it was done in came to nothing. */
function firstOf(tenancy: Tenancy, check: () => Promise<void>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    isDone = true;
    tenancy.afterRollback(async () => void (isDone = false));
    await check();
  };
}
