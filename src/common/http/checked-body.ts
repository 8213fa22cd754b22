import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { UnsupportedMediaType } from '../problem/common-problems.js';
import { Problem } from '../problem/problem.js';
import type { BodyBudget } from './body-budget.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What a guard asks of the bytes of the body, before anything is made of them. It throws a Problem. */
    checkBody?: ((body: Uint8Array) => void) | undefined;
  }
}

/** The bytes of a body, once they are what the guards ask for. */
export async function readChecked(
  bodies: BodyBudget,
  request: FastifyRequest,
  payload: IncomingMessage,
): Promise<Buffer> {
  const body = await bodies.read(request, payload);
  const { checkBody } = request;
  if (!checkBody) return body;
  request.checkBody = undefined;
  checkBody(body);
  return body;
}

/** @throws UnsupportedMediaType for a body that was compressed */
export function checkCoding({ headers }: FastifyRequest): void {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity')
    throw new UnsupportedMediaType({}, 'Send the body as it is: headers.content-encoding is not taken here');
}

/** The same where no body was read: there is none, or none that the handler sees. */
export function checkUnread(request: FastifyRequest): Problem | undefined {
  const { checkBody } = request;
  if (!checkBody) return undefined;
  try {
    checkBody(new Uint8Array());
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
