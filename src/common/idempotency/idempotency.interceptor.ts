import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { declaredRoute, type RouteRecord } from '../contract/contract.js';
import { GroupedEffects } from '../grouped-effects/grouped-effects.js';
import { IdempotencyKeyReused } from '../problem/common-problems.js';
import { EncryptedText, type EncryptionContext } from '../sessions/encrypted-text.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { IdempotencyStore, type IdempotencyScope } from './idempotency.store.js';
import { type IdempotentRequest, idempotentRequestOf, markRepeat, repeatedReply } from './idempotent-request.js';

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
    private readonly grouped: GroupedEffects,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (this.grouped.request) return next.handle();
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
    const asked = idempotentRequestOf(request, route);
    return this.tenancy.run(asked.tenantId, async () => {
      const [stored] = await this.store.hold([asked.scope]);
      const repeat = repeatedReply(stored, asked);
      if (!repeat) return this.runFirst(asked, route, next);
      markRepeat(reply, repeat);
      return repeat.body === null ? undefined : (JSON.parse(await this.openBody(repeat.body, asked.scope)) as unknown);
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
    { scope, digest }: IdempotentRequest,
    route: RouteRecord,
    next: CallHandler,
  ): Promise<unknown> {
    const value: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
    const body = value === undefined ? null : JSON.stringify(value);
    const keptBody =
      body !== null && route.secretReply ? await this.encryption.encrypt(body, this.contextOf(scope)) : body;
    this.store.record([{ scope, reply: { request_digest: digest, status: route.reply.status, body: keptBody } }]);
    return value;
  }
}
