import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { shieldCallOf } from '../call-policy/shield-call.js';
import { ShieldPipeline } from '../call-policy/shield-pipeline.js';
import { ToolCallSigner } from '../call-policy/tool-call-signer.js';
import { declaredRoute } from '../contract/contract.js';
import { idempotentRequestOf, markRepeat } from '../idempotency/idempotent-request.js';
import { DecisionChanged, GroupedEffects, type GroupedRequest } from './grouped-effects.js';

/**
 * Before the interceptors that open a unit of work for a request: lets the handler of a grouped route do it together
 * with others, where the default rule lets it through. Everything else takes the other way.
 */
@Injectable()
export class GroupedEffectsInterceptor implements NestInterceptor {
  constructor(
    private readonly effects: GroupedEffects,
    private readonly pipeline: ShieldPipeline,
    private readonly signer: ToolCallSigner,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    return from(this.runHandler(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), next));
  }

  private async runHandler(request: FastifyRequest, reply: FastifyReply, next: CallHandler): Promise<unknown> {
    const handler = (): Promise<unknown> => lastValueFrom(next.handle(), { defaultValue: undefined });
    // A call of a tool was decided on before.
    if (this.signer.of(request)) return handler();
    const route = declaredRoute(request);
    const asked = idempotentRequestOf(request, route);
    const decision = await this.pipeline.decidePlainly(shieldCallOf(request, route));
    if (!decision) return handler();
    const grouped: GroupedRequest = { ...asked, decision, status: route.reply.status };
    try {
      const answer = await this.effects.run(grouped, handler);
      if (grouped.repeat) markRepeat(reply, grouped.repeat);
      return answer;
    } catch (error) {
      if (error instanceof DecisionChanged) return handler();
      throw error;
    }
  }
}
