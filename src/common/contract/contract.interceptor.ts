import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { catchError, type Observable } from 'rxjs';
import { Problem } from '../problem/problem.js';
import { ROUTE, type DeclaredRoute } from './contract.js';

/** A route may fail only in the ways it declares. Anything else is a bug that the tests (NODE_ENV=test) see as a 500; elsewhere the caller still gets the problem. */
@Injectable()
export class ContractInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const route = this.reflector.get<DeclaredRoute | undefined>(ROUTE, context.getHandler());
    return next.handle().pipe(
      catchError((error: unknown) => {
        const undeclared = error instanceof Problem && route && !route.problems.includes(error.kind);
        if (undeclared)
          throw new Error(`${route.address} answered an undeclared problem: ${error.kind.type}`, { cause: error });
        throw error;
      }),
    );
  }
}
