import type { ApiResponseOptions } from '@nestjs/swagger';
import { getSchemaPath } from '@nestjs/swagger';
import type { ProblemClass } from '../problem/problem.js';
import { ProblemBody } from '../problem/problem-body.js';

/** One OpenAPI response a status, listing the problem types that share it. */
export function problemResponses(kinds: ProblemClass[]): ApiResponseOptions[] {
  const byStatus = Map.groupBy(kinds, (kind) => kind.status);
  return [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, group]) => ({
      status,
      description: group.map((kind) => `${kind.type}: ${kind.title}`).join('. '),
      headers: RETRIES.has(status)
        ? {
            'retry-after': {
              description: 'Seconds to wait before the next try.',
              schema: { type: 'integer' as const },
            },
          }
        : undefined,
      content: {
        'application/json': {
          schema: {
            allOf: [
              { $ref: getSchemaPath(ProblemBody) },
              {
                type: 'object' as const,
                properties: { type: { type: 'string' as const, enum: group.map((kind) => kind.type) } },
              },
            ],
          },
        },
      },
    }));
}

const RETRIES = new Set([409, 429, 503]);
