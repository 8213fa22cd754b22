import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Observable } from 'rxjs';
import { declaredRoute, type Address } from '../contract/contract.js';
import { beginSpan, failSpan, SpanKind, within } from './tracing.js';

/** Operations of semantic-conventions-genai v0.1.0 and the routes that do them. */
const OPERATIONS: Readonly<Record<string, readonly Address[]>> = {
  retrieval: ['POST /v1/retrieve'],
  search_memory: [
    'GET /v1/facts',
    'GET /v1/facts/list',
    'GET /v1/facts/entity/:entity',
    'POST /v1/cases/retrieve',
    'POST /v1/context',
    'POST /v1/memory/session-init',
    'POST /v1/relations/expand',
  ],
  upsert_memory: [
    'PUT /v1/facts',
    'PUT /v1/facts/bulk',
    'PUT /v1/entities/:kind/:id',
    'PUT /v1/edges',
    'POST /v1/relations',
    'POST /v1/cases',
    'POST /v1/memory/import',
  ],
  delete_memory: [
    'DELETE /v1/facts/:factId',
    'DELETE /v1/entities/:kind/:id',
    'DELETE /v1/edges',
    'DELETE /v1/cases/:id',
    'POST /v1/facts/erase',
  ],
};

/** Exported for the test that holds it against the routes there are. */
export const OPERATION_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(OPERATIONS).flatMap(([operation, routes]) => routes.map((route) => [route, operation] as const)),
);

/** A span for what a route does to memory, within that of its request. Only in a process that traces. */
@Injectable()
export class GenAiSpans implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const isHttp = context.getType() === 'http';
    const request = isHttp ? context.switchToHttp().getRequest<FastifyRequest>() : undefined;
    const operation = request && OPERATION_OF.get(declaredRoute(request).address);
    if (operation === undefined) return next.handle();
    return new Observable((subscriber) => {
      const store = operation === 'retrieval' ? {} : { 'gen_ai.memory.store.id': 'svc' };
      const attributes = { 'gen_ai.operation.name': operation, ...store };
      const span = beginSpan(operation, { kind: SpanKind.CLIENT, attributes });
      const subscription = within(span, () =>
        next.handle().subscribe({
          next: (value) => subscriber.next(value),
          error: (error: unknown) => {
            failSpan(span, error);
            subscriber.error(error);
          },
          complete: () => subscriber.complete(),
        }),
      );
      return () => {
        span.end();
        subscription.unsubscribe();
      };
    });
  }
}
