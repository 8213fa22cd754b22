import type { FastifyReply, FastifyRequest } from 'fastify';
import { canonicalText } from '../../evidence/canonical-json.js';
import type { RouteRecord } from '../contract/contract.js';
import { headerOf, isStorableText } from '../http/headers.js';
import { IdempotencyInProgress, IdempotencyKeyRequired, IdempotencyKeyReused } from '../problem/common-problems.js';
import { sha256 } from '../../evidence/sha256.js';
import type { IdempotencyScope, StoredReply } from './idempotency.store.js';

/** A request with its key. */
export interface IdempotentRequest {
  readonly tenantId: string;
  readonly scope: IdempotencyScope;
  /** Of what it means. */
  readonly digest: Buffer;
}

/** @throws IdempotencyKeyRequired */
export function idempotentRequestOf(request: FastifyRequest, route: RouteRecord): IdempotentRequest {
  const caller = request.caller;
  if (!caller) throw new Error(`${route.address} is idempotent but has no caller`);
  return {
    tenantId: caller.tenantId,
    scope: {
      principal: caller.principal,
      method: request.method,
      path: pathOf(route, request),
      key: keyOf(request),
    },
    digest: digestOf(request),
  };
}

/**
 * @param stored what was found under the request's key
 * @returns the reply that the request is to be given again; undefined where it is the first
 * @throws IdempotencyInProgress, IdempotencyKeyReused
 */
export function repeatedReply(
  stored: StoredReply | 'in progress' | undefined,
  { scope, digest }: IdempotentRequest,
): StoredReply | undefined {
  if (stored === 'in progress') throw inProgress({ scope });
  if (stored && !stored.request_digest.equals(digest)) {
    throw new IdempotencyKeyReused({ idempotencyKey: scope.key }, 'Use a new idempotency key for a new request');
  }
  return stored;
}

/** The refusal of a request whose key another one has that has not ended yet. */
export const inProgress = ({ scope }: Pick<IdempotentRequest, 'scope'>): IdempotencyInProgress =>
  new IdempotencyInProgress(
    { idempotencyKey: scope.key, retryAfterSec: 1 },
    'Wait for the first request to end, then send this one again for its answer',
  );

/** Says of an answer that it is a repeat. */
export function markRepeat(reply: FastifyReply, { status }: StoredReply): void {
  void reply.status(status).header('x-idempotency-replayed', 'true');
}

/** The path as it is understood: `%2D` for a hyphen would otherwise make another effect of a repeat. */
function pathOf({ address }: RouteRecord, { params }: FastifyRequest): string {
  const given = params as Record<string, string>;
  return address.split(' ')[1]!.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(given[name]!));
}

/** The header, or the body's own idempotencyKey where a body has one; both must agree (D9). */
function keyOf(request: FastifyRequest): string {
  const header = headerOf(request, 'x-idempotency-key');
  const { idempotencyKey } = (request.body ?? {}) as { idempotencyKey?: unknown };
  const member = typeof idempotencyKey === 'string' ? idempotencyKey : undefined;
  if (header !== undefined && member !== undefined && header !== member) {
    throw new IdempotencyKeyRequired(
      {},
      'headers.x-idempotency-key and body.idempotencyKey differ; send one, or the same in both',
    );
  }
  const key = header ?? member;
  if (key === undefined || key.length < 8 || key.length > 255 || !isStorableText(key)) {
    throw new IdempotencyKeyRequired(
      {},
      'Send headers.x-idempotency-key with 8 to 255 characters of your choosing, a new one for each effect',
    );
  }
  return key;
}

const digestOf = ({ query, body }: FastifyRequest): Buffer => digestOfMeaning([query ?? {}, body ?? null]);

/**
 * SHA-256 over a request's meaning in canonical form (RFC 8785), so that white space and member order do not matter.
 */
export const digestOfMeaning = (meaning: unknown): Buffer => sha256(canonicalText(meaning));
