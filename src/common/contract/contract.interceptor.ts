import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { catchError, type Observable } from 'rxjs';
import { Problem } from '../problem/problem.js';
import { routeOf } from './contract.js';
import { RouteManifest } from './route-manifest.js';

/**
 * A route may fail only in the ways it declares. Anything else is a bug that the tests (NODE_ENV=test) see as a 500;
 * elsewhere the caller still gets the problem.
 */
@Injectable()
export class ContractInterceptor implements NestInterceptor {
  constructor(private readonly manifest: RouteManifest) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const isHttp = context.getType() === 'http';
    const route = isHttp ? routeOf(context.switchToHttp().getRequest<FastifyRequest>()) : undefined;
    return next.handle().pipe(
      catchError((error: unknown) => {
        if (error instanceof Problem && route && !this.manifest.problemsOf(route).includes(error.kind))
          throw new Error(`${route.address} answered an undeclared problem: ${error.kind.type}`, { cause: error });
        throw error;
      }),
    );
  }
}
