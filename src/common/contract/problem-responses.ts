import type { JsonSchema } from '../fields/fields.js';
import type { ProblemClass } from '../problem/problem.js';
import type { ProblemForm } from './server-contract.js';

/** The header of an answer after which a later try may succeed. */
export const RETRY_AFTER = {
  'retry-after': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
};
const RETRIES = new Set([409, 429, 503]);

/** One OpenAPI response a status, listing the problem types that share it. @param body of every problem */
export function problemResponses(
  kinds: readonly ProblemClass[],
  { contentType, typeOf }: ProblemForm,
  body: JsonSchema,
): Record<string, { description: string; content: Record<string, object> }> {
  const byStatus = Map.groupBy(kinds, ({ status }) => status);
  const responses = [...byStatus].map(([status, group]) => {
    const type = { type: 'string', enum: group.map(typeOf) };
    const schema = { allOf: [body, { type: 'object', properties: { type } }] };
    return [
      status,
      {
        description: group.map((kind) => `${kind.type}: ${kind.title}`).join('. '),
        ...(RETRIES.has(status) ? { headers: RETRY_AFTER } : {}),
        content: { [contentType]: { schema } },
      },
    ] as const;
  });
  return Object.fromEntries(responses);
}
