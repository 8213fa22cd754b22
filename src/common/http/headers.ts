import type { FastifyRequest } from 'fastify';

/** A header that was sent once and is not empty. */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The bearer token of the Authorization header (RFC 6750). */
export function bearerOf(request: FastifyRequest): string | undefined {
  return /^Bearer (\S+)$/i.exec(headerOf(request, 'authorization') ?? '')?.[1];
}

/** Text that PostgreSQL can hold and UTF-8 can carry: no NUL, no lone surrogate. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
