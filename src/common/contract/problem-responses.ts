import type { Type } from '@nestjs/common';
import type { ApiResponseOptions } from '@nestjs/swagger';
import { getSchemaPath } from '@nestjs/swagger';
import type { ProblemClass } from '../problem/problem.js';
import { ProblemBody } from '../problem/problem-body.js';

/** How a server writes its problems on the wire. */
export interface ProblemForm {
  contentType: string;
  body: Type;
  /** The `type` member of a kind of problem. */
  typeOf: (kind: ProblemClass) => string;
}

/** Of the tenant API and the tool service (D10). */
const TENANT_API: ProblemForm = { contentType: 'application/json', body: ProblemBody, typeOf: ({ type }) => type };

/** One OpenAPI response a status, listing the problem types that share it. */
export function problemResponses(kinds: ProblemClass[], form = TENANT_API): ApiResponseOptions[] {
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
        [form.contentType]: {
          schema: {
            allOf: [
              { $ref: getSchemaPath(form.body) },
              {
                type: 'object' as const,
                properties: { type: { type: 'string' as const, enum: group.map(form.typeOf) } },
              },
            ],
          },
        },
      },
    }));
}

const RETRIES = new Set([409, 429, 503]);
