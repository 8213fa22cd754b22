import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { ROUTE, type RouteRecord } from '../contract/contract.js';
import { sealedCallOf, shieldCallOf } from './shield-call.js';
import { ShieldPipeline } from './shield-pipeline.js';
import { ToolCallSeal } from './tool-call-seal.js';

/** Asks the shield before a mutation. Inside the idempotency interceptor: a replay was let through once and is not asked about again. */
@Injectable()
export class ShieldInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly pipeline: ShieldPipeline,
    private readonly seals: ToolCallSeal,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const route = this.reflector.get<RouteRecord>(ROUTE, context.getHandler());
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const sealed = this.seals.of(request);
    // A seal that is not of exactly this request is none: the tool service gives one to every call that changes something.
    const call = sealed?.requestDigest ? sealedCallOf(request, route, sealed) : shieldCallOf(request, route);
    return from(this.pipeline.run(call, () => lastValueFrom(next.handle(), { defaultValue: undefined })));
  }
}
