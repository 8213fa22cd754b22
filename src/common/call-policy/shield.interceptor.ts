import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { declaredRoute } from '../contract/contract.js';
import { GroupedEffects } from '../grouped-effects/grouped-effects.js';
import { signedCallOf, shieldCallOf } from './shield-call.js';
import { ShieldPipeline } from './shield-pipeline.js';
import { ToolCallSigner } from './tool-call-signer.js';

/**
 * Asks the shield before a mutation. Inside the idempotency interceptor: a replay was let through once and is not asked
 * about again.
 */
@Injectable()
export class ShieldInterceptor implements NestInterceptor {
  constructor(
    private readonly pipeline: ShieldPipeline,
    private readonly signer: ToolCallSigner,
    private readonly grouped: GroupedEffects,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (this.grouped.request) return next.handle();
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = declaredRoute(request);
    const signed = this.signer.of(request);
    // A signature that is not of exactly this request is ignored: the tool service signs every call that changes
    // something.
    const call = signed?.requestDigest ? signedCallOf(request, route, signed) : shieldCallOf(request, route);
    return from(this.pipeline.run(call, () => lastValueFrom(next.handle(), { defaultValue: undefined })));
  }
}
