import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

const REQUEST_ID = /^[\w.:-]{1,128}$/;
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

/** The client's x-request-id where it is usable, else one of ours. */
export function requestIdOf(headers: Record<string, unknown>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * The traceparent of this request's own span (W3C Trace Context): the caller's trace where it sent a valid one, else a
 * new one.
 */
export const traceparentOf = ({ headers }: FastifyRequest): string => continueTrace(headers.traceparent);

/** A span of its own in the trace of this traceparent, or in a new one where that is none. */
export function continueTrace(traceparent: unknown): string {
  const given = TRACEPARENT.exec(typeof traceparent === 'string' ? traceparent : '');
  return `00-${given?.[1] ?? randomHex()}-${randomHex().slice(16)}-${given?.[2] ?? '01'}`;
}

/**
 * 32 hexadecimal digits that are never all zero: Node keeps random UUIDs in stock, random bytes cost a system call each
 * time.
 */
const randomHex = (): string => randomUUID().replaceAll('-', '');
