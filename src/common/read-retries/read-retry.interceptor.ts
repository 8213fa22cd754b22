import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { catchError, retry, tap, timer, throwError, type Observable } from 'rxjs';
import { routeOf } from '../contract/contract.js';
import { isWorthAnotherTry } from './read-fault.js';
import { ReadRetries } from './read-retries.js';

const MORE_TRIES = 2;
const PAUSE_MS = 50;

/**
 * A GET that loses its connection, or meets a writer, is done again from the beginning: the caller sees only that it
 * took longer.
 */
@Injectable()
export class ReadRetryInterceptor implements NestInterceptor {
  constructor(private readonly retries: ReadRetries) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const route = routeOf(context.switchToHttp().getRequest<FastifyRequest>());
    return route?.verb === 'GET' && !route.streams ? this.withRetries(next) : next.handle();
  }

  private withRetries(next: CallHandler): Observable<unknown> {
    let tries = 0;
    const pause = (error: unknown) => {
      if (!isWorthAnotherTry(error)) return throwError(() => error);
      tries += 1;
      return timer(PAUSE_MS * tries);
    };
    const record = (outcome: 'answered' | 'failed') => {
      if (tries > 0) this.retries.record(outcome);
    };
    return next.handle().pipe(
      retry({ count: MORE_TRIES, delay: pause }),
      tap(() => record('answered')),
      catchError((error: unknown) => {
        record('failed');
        throw error;
      }),
    );
  }
}
