import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** A header that was sent once and is not empty. */
export function headerOf(request: Pick<FastifyRequest, 'headers'>, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether a header came more than once. Of some, Node.js keeps the first alone and says nothing. */
export function isDuplicated({ rawHeaders }: IncomingMessage, name: string): boolean {
  return rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === name).length > 1;
}

/** The bearer token of the Authorization header (RFC 6750). */
export function bearerOf(request: FastifyRequest): string | undefined {
  return /^Bearer (\S+)$/i.exec(headerOf(request, 'authorization') ?? '')?.[1];
}

/** What came with a request of the tool service to say who makes it. */
export const credentialIn = (
  request: FastifyRequest,
): { tenantId: string | undefined; apiKey: string | undefined; bearer: string | undefined } => ({
  tenantId: headerOf(request, 'x-tenant-id'),
  apiKey: headerOf(request, 'x-api-key'),
  bearer: bearerOf(request),
});

/** Text that goes on in a header: ASCII that no reader trims. */
export const HEADER_TEXT = /^[!-~]([ -~]*[!-~])?$/;

/** Text that PostgreSQL can hold and UTF-8 can carry: no NUL, no lone surrogate. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Whether a body comes with the request (RFC 9112, 6.3). */
export const announcesBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** Whether the body that comes with it, if any does, has a byte; of one sent in chunks that is not known yet. */
export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
