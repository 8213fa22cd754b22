import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { catchError, retry, tap, timer, throwError, type Observable } from 'rxjs';
import { ROUTE } from '../../common/contract/contract.js';
import type { DaemonRouteRecord } from '../contract/daemon-contract.js';
import { isWorthAnotherTry } from './read-fault.js';
import { ReadRetries } from './read-retries.js';

const MORE_TRIES = 2;
const PAUSE_MS = 50;

/** A GET that loses its connection, or meets a writer, is done again from the beginning: the caller sees only that it took longer. */
@Injectable()
export class ReadRetryInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly retries: ReadRetries,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const route = this.reflector.get<DaemonRouteRecord | undefined>(ROUTE, context.getHandler());
    return route?.verb === 'GET' && !route.streams ? this.withRetries(next) : next.handle();
  }

  private withRetries(next: CallHandler): Observable<unknown> {
    let tries = 0;
    const pause = (error: unknown) => {
      if (!isWorthAnotherTry(error)) return throwError(() => error);
      tries += 1;
      return timer(PAUSE_MS * tries);
    };
    const tell = (outcome: 'answered' | 'failed') => {
      if (tries > 0) this.retries.record(outcome);
    };
    return next.handle().pipe(
      retry({ count: MORE_TRIES, delay: pause }),
      tap(() => tell('answered')),
      catchError((error: unknown) => {
        tell('failed');
        throw error;
      }),
    );
  }
}
