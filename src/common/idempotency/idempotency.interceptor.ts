import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import canonicalize from 'canonicalize';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { declaredRoute, type RouteRecord } from '../contract/contract.js';
import { headerOf, isStorableText } from '../http/headers.js';
import { IdempotencyInProgress, IdempotencyKeyRequired, IdempotencyKeyReused } from '../problem/common-problems.js';
import { EncryptedText, type EncryptionContext } from '../sessions/encrypted-text.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { IdempotencyStore, type IdempotencyScope } from './idempotency.store.js';
import { sha256 } from '../../evidence/sha256.js';

/**
 * One effect a key (D9). The handler, the record of its answer and the hold on the key share one transaction: a process
 * that dies leaves nothing behind, and a repeat meets either the running first request (409), its answer (replayed) or
 * nothing at all.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: IdempotencyStore,
    private readonly encryption: EncryptedText,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    return from(this.runOnce(request, http.getResponse<FastifyReply>(), declaredRoute(request), next));
  }

  private async runOnce(
    request: FastifyRequest,
    reply: FastifyReply,
    route: RouteRecord,
    next: CallHandler,
  ): Promise<unknown> {
    const caller = request.caller;
    if (!caller) throw new Error(`${route.address} is idempotent but has no caller`);
    const scope: IdempotencyScope = {
      principal: caller.principal,
      method: request.method,
      path: pathOf(route, request),
      key: keyOf(request),
    };
    const digest = digestOf(request);
    return this.tenancy.run(caller.tenantId, async () => {
      if (!(await this.store.tryHold(scope))) {
        throw new IdempotencyInProgress(
          { idempotencyKey: scope.key, retryAfterSec: 1 },
          'Wait for the first request to end, then send this one again for its answer',
        );
      }
      const stored = await this.store.find(scope);
      if (!stored) return this.runFirst(scope, digest, route, next);
      if (!stored.request_digest.equals(digest)) {
        throw new IdempotencyKeyReused({ idempotencyKey: scope.key }, 'Use a new x-idempotency-key for a new request');
      }
      void reply.status(stored.status).header('x-idempotency-replayed', 'true');
      return stored.body === null ? undefined : (JSON.parse(await this.openBody(stored.body, scope)) as unknown);
    });
  }

  /** An answer that was encrypted under a secret this server no longer has cannot be shown again; its effect stands. */
  private async openBody(body: string, scope: IdempotencyScope): Promise<string> {
    if (!this.encryption.isEncrypted(body)) return body;
    const opened = await this.encryption.decrypt(body, this.contextOf(scope));
    if (opened !== undefined) return opened;
    throw new IdempotencyKeyReused(
      { idempotencyKey: scope.key },
      "The first request had its effect, but its answer cannot be shown again since the server's secret was changed",
    );
  }

  private contextOf({ principal, method, path, key }: IdempotencyScope): EncryptionContext {
    return { purpose: 'idempotency', context: [this.tenancy.tenant, principal, method, path, key] };
  }

  private async runFirst(
    scope: IdempotencyScope,
    digest: Buffer,
    route: RouteRecord,
    next: CallHandler,
  ): Promise<unknown> {
    const value: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
    const body = value === undefined ? null : JSON.stringify(value);
    const keptBody =
      body !== null && route.secretReply ? await this.encryption.encrypt(body, this.contextOf(scope)) : body;
    await this.store.record(scope, { request_digest: digest, status: route.reply.status, body: keptBody });
    return value;
  }
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

/**
 * SHA-256 over the request's meaning: query and body in canonical form (RFC 8785), so that white space and member order
 * do not matter.
 */
const digestOf = ({ query, body }: FastifyRequest): Buffer => sha256(canonicalize([query ?? {}, body ?? null]) ?? '');
