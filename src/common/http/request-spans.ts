import type { FastifyReply, FastifyRequest } from 'fastify';
import { beginSpan, isTracing, markFailed, SpanKind, traceparentOfSpan, within } from '../observability/tracing.js';
import { traceparentOf } from './trace.js';

type Span = ReturnType<typeof beginSpan>;

const spans = new WeakMap<FastifyRequest, Span>();

/**
 * The traceparent that a request is answered with: of its own span, in the trace of the caller. Paths and queries stay
 * out of the span, for they may hold what a tenant wrote: the route is there, and the id under which the log has the
 * request.
 */
export function beginRequest(request: FastifyRequest, reply: FastifyReply): string {
  if (!isTracing()) return traceparentOf(request);
  const span = beginSpan(request.method, {
    kind: SpanKind.SERVER,
    attributes: { 'http.request.method': request.method, 'url.scheme': request.protocol, 'svc.request.id': request.id },
    parent: request.headers.traceparent ?? '',
  });
  spans.set(request, span);
  void reply.header('x-trace-id', span.spanContext().traceId);
  return traceparentOfSpan(span) ?? traceparentOf(request);
}

/** Goes on with the span of the request as the current one. */
export function withinRequest(request: FastifyRequest, next: () => void): void {
  const span = spans.get(request);
  if (span) within(span, next);
  else next();
}

/** @param route the path of the manifest, `none` where there is none */
export function endRequest(request: FastifyRequest, { route, status }: { route: string; status: number }): void {
  const span = spans.get(request);
  if (!span) return;
  if (route !== 'none') span.updateName(`${request.method} ${route}`).setAttribute('http.route', route);
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) markFailed(span, String(status));
  span.end();
}
