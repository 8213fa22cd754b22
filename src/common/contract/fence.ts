import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { invalid } from '../problem/common-problems.js';
import type { DocumentedParameter } from './contract.js';

/** Names the lease under which a request writes (D61). */
export const FENCE_HEADER = 'x-svc-fence';

/** The header of whatever is no GET. */
export const FENCE_PARAMETER: DocumentedParameter = {
  name: FENCE_HEADER,
  description:
    'The fence of the lease under which this is written, as a claim or an acquisition answered it. Where it comes, the write takes place only while that lease is live; else the answer is 409 FENCE_STALE, which names the newer holder, and nothing is changed.',
  schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
};

/** The fence of the request, for a handler whose route is `fenced`; undefined where none came. */
export const Fence = createParamDecorator((_: unknown, context: ExecutionContext): number | undefined =>
  fenceIn(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** @throws ValidationFailed for what cannot be a fence */
export function fenceIn({ headers }: Pick<FastifyRequest, 'headers'>): number | undefined {
  const sent = headers[FENCE_HEADER];
  if (sent === undefined) return undefined;
  const fence = typeof sent === 'string' && /^[1-9]\d{0,15}$/.test(sent) ? Number(sent) : NaN;
  if (Number.isSafeInteger(fence)) return fence;
  throw invalid(
    `headers.${FENCE_HEADER}`,
    'is a whole number above 0, sent once: the fence that a claim or an acquisition answered; leave it out for none',
  );
}
