import { beginSpan, failSpan, isInTrace, SpanKind } from '../observability/tracing.js';

type Query = (...given: unknown[]) => unknown;
type Span = ReturnType<typeof beginSpan>;

const MAX_TEXT = 1_000;

/**
 * A driver's `query` that makes a span of each statement within a trace. Values are parameters and stay out of it.
 * Outside of a trace it is the driver's own.
 */
export const tracedQuery =
  (query: Query): Query =>
  (...given) => {
    const text = isInTrace() ? textOf(given[0]) : undefined;
    if (text === undefined) return query(...given);
    const span = beginStatement(text);
    const last: unknown = given.at(-1);
    if (typeof last === 'function')
      return query(...given.slice(0, -1), (error: unknown, ...results: unknown[]) => {
        endStatement(span, error);
        (last as Query)(error, ...results);
      });
    const result = query(...given) as Promise<unknown>;
    result.then(
      () => endStatement(span, null),
      (error: unknown) => endStatement(span, error),
    );
    return result;
  };

/** Undefined for what streams: it is no statement with one end. */
const textOf = (statement: unknown): string | undefined => {
  if (typeof statement === 'string') return statement;
  const { text, submit } = (statement ?? {}) as { text?: unknown; submit?: unknown };
  return typeof text === 'string' && submit === undefined ? text : undefined;
};

function beginStatement(text: string): Span {
  const [operation = 'statement'] = /[a-z]+/i.exec(text) ?? [];
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation.toLowerCase(),
    'db.query.text': text.trim().slice(0, MAX_TEXT),
  };
  return beginSpan(operation.toLowerCase(), { kind: SpanKind.CLIENT, attributes });
}

function endStatement(span: Span, error: unknown): void {
  if (error) {
    failSpan(span, error);
    const { code } = error as { code?: unknown };
    if (typeof code === 'string') span.setAttribute('db.response.status_code', code);
  }
  span.end();
}
