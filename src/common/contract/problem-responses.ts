import type { JsonSchema } from '../fields/fields.js';
import type { ProblemClass } from '../problem/problem.js';
import type { ProblemForm } from './server-contract.js';

/** The header of an answer after which a later try may succeed. */
export const RETRY_AFTER = {
  'retry-after': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
};
const RETRIES = new Set([409, 429, 503]);
const REQUEST_ID = '5f0c9a4e-1d2b-4c3a-8e7f-6a5b4c3d2e1f';

export interface ProblemResponse {
  description: string;
  headers?: object;
  content: Record<string, object>;
}

/**
 * The OpenAPI responses of problems. Those of one status stand together, and the same ones of several routes once, in
 * `components.responses`.
 */
export class ProblemResponses {
  readonly shared: Record<string, ProblemResponse> = {};

  /** @param body the schema of every problem */
  constructor(
    private readonly form: ProblemForm,
    private readonly body: JsonSchema,
  ) {}

  /** A status with the problems that share it, as a reference. */
  refer(kinds: readonly ProblemClass[]): { $ref: string } {
    const name = [...new Set(kinds.map(({ type }) => type))].join('.');
    this.shared[name] ??= this.describe(kinds);
    return { $ref: `#/components/responses/${name}` };
  }

  describe(kinds: readonly ProblemClass[]): ProblemResponse {
    const { contentType, typeOf } = this.form;
    const type = { type: 'string', enum: kinds.map(typeOf) };
    const schema = { allOf: [this.body, { type: 'object', properties: { type } }] };
    const examples = Object.fromEntries(kinds.map((kind) => [kind.type, this.exampleOf(kind)]));
    return {
      description: kinds.map((kind) => `${kind.type}: ${kind.title}`).join('. '),
      ...(RETRIES.has(kinds[0]!.status) ? { headers: RETRY_AFTER } : {}),
      content: { [contentType]: { schema, examples } },
    };
  }

  private exampleOf(kind: ProblemClass): object {
    const { detail, ...facts } = kind.example;
    const waits = kind.retryable && RETRIES.has(kind.status) ? { retryAfterSec: 1 } : {};
    const value = this.form.bodyOf(new kind({ ...waits, ...facts } as never, detail), REQUEST_ID);
    return { summary: kind.title, value: JSON.parse(JSON.stringify(value)) as unknown };
  }
}
