import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { catchError, type Observable } from 'rxjs';
import { heldRowOf } from './held-rows.js';
import { HoldRefusals } from './hold-refusals.service.js';

/**
 * The one place where what a legal hold refused becomes an answer: whatever a request ran into it by, its transaction
 * is over here, and the refusal is receipted in another.
 */
@Injectable()
export class HoldRefusalInterceptor implements NestInterceptor {
  constructor(private readonly refusals: HoldRefusals) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        const held = heldRowOf(error);
        if (!held) throw error;
        const { caller, daemonCaller } = context.switchToHttp().getRequest<FastifyRequest>();
        throw await this.refusals.refuse(caller ?? daemonCaller ?? UNNAMED, held);
      }),
    );
  }
}

/** Of a route that asks for no credential. */
const UNNAMED = { principal: 'anonymous', authType: 'none' } as const;
