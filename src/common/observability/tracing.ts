import {
  context,
  type Attributes,
  type Context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/** Of the general and the GenAI conventions of OpenTelemetry that spans are named by. */
const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.45.0';

let isOn = false;
/** Whether this process makes spans. While it does not, nothing of OpenTelemetry but its interface is loaded. */
export const isTracing = (): boolean => isOn;
/** Once a provider is registered. @returns switches it off */
export function switchTracingOn(): () => void {
  isOn = true;
  return () => (isOn = false);
}

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  /** The traceparent of the span that this one belongs to; the current one where none is given. */
  parent?: unknown;
}

const tracer = () => trace.getTracerProvider().getTracer('svc', undefined, { schemaUrl: SCHEMA_URL });

/** The context of a caller's traceparent (W3C Trace Context); a new trace where it is none. */
const contextOf = (traceparent: unknown): Context =>
  propagation.extract(ROOT_CONTEXT, typeof traceparent === 'string' ? { traceparent } : {});

/** A span that is not current yet; see {@link within}. */
export function beginSpan(name: string, { kind = SpanKind.INTERNAL, attributes = {}, parent }: SpanOptions): Span {
  return tracer().startSpan(name, { kind, attributes }, parent === undefined ? context.active() : contextOf(parent));
}

/** Does work with the span as the current one. */
export const within = <T>(span: Span, work: () => T): T => context.with(trace.setSpan(context.active(), span), work);

/** Work in a span of its own, which ends with it, and failed where it rejects. Without tracing the work alone. */
export async function traced<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  if (!isOn) return work();
  const span = beginSpan(name, options);
  try {
    return await within(span, work);
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** The kind of error alone: a message may hold what the caller sent. */
export function failSpan(span: Span, error: unknown): void {
  markFailed(span, error instanceof Error ? error.constructor.name : '_OTHER');
}

/** @param type of the error, of few values */
export function markFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Whether work belongs to a trace: statements of the process's own upkeep do not. */
export const isInTrace = (): boolean => isOn && trace.getActiveSpan() !== undefined;

/** Its traceparent (W3C Trace Context, 3.2), version 00; undefined where nothing is traced. */
export function traceparentOfSpan(span: Span): string | undefined {
  const { traceId, spanId, traceFlags } = span.spanContext();
  if (!isSpanContextValid(span.spanContext())) return undefined;
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** The traceparent of the current span, to be handed on; undefined without one. */
export function currentTraceparent(): string | undefined {
  const span = isOn ? trace.getActiveSpan() : undefined;
  return span && traceparentOfSpan(span);
}

export { SpanKind };
