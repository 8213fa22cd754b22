import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/**
 * What a route that ends in `/*` matched there: Fastify names that parameter `*`, which no DTO member can be called.
 */
export const RestOfPath = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: { '*'?: string } }>>();
  return params['*'] ?? '';
});
