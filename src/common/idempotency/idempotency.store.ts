import { Injectable } from '@nestjs/common';
import { Tenancy } from '../tenancy/tenancy.js';

/** What one idempotency key stands for: this principal's request to this address. */
export interface IdempotencyScope {
  principal: string;
  method: string;
  path: string;
  key: string;
}

export interface StoredReply {
  request_digest: Buffer;
  status: number;
  body: string | null;
}

/** Replies by idempotency key, in the transaction of their effect (docs/decisions/0002). */
@Injectable()
export class IdempotencyStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * Takes keys for the rest of the transaction, each unless another transaction holds it. A killed process's hold ends
   * with its connection.
   * @param scopes each once
   * @returns in their order the answer that is stored under each, held or not. Where there is none and another holds
   * the key, `in progress`, at once.
   */
  async hold(scopes: readonly IdempotencyScope[]): Promise<(StoredReply | 'in progress' | undefined)[]> {
    const rows = await this.tenancy.query<StoredReply & { is_held: boolean }>(
      `select held.* from rows from (json_to_recordset($2::json) as (principal text, method text, path text, key text)) with ordinality
         as k(principal, method, path, key, place)
       cross join lateral svc_hold_idempotency_key($1, k.principal, k.method, k.path, k.key) held order by k.place`,
      [this.tenancy.tenant, JSON.stringify(scopes)],
    );
    if (rows.length !== scopes.length) throw new Error('an idempotency key was not held');
    return rows.map(({ is_held, ...stored }) => {
      if (stored.request_digest !== null) return stored;
      return is_held ? undefined : 'in progress';
    });
  }

  /** The answer that is stored under a key, whether it is held or not. */
  async find(scope: IdempotencyScope): Promise<StoredReply | undefined> {
    const [row] = await this.tenancy.query<StoredReply>(
      `select request_digest, status, body from idempotent_request
       where principal = $1 and method = $2 and path = $3 and idempotency_key = $4 and created_at > now() - interval '24 hours'`,
      [scope.principal, scope.method, scope.path, scope.key],
    );
    return row;
  }

  /** Writes over records that are older than their 24 hours. */
  record(replies: readonly { scope: IdempotencyScope; reply: StoredReply }[]): void {
    const rows = replies.map(({ scope, reply: { request_digest, ...reply } }) => ({
      ...scope,
      ...reply,
      digest: request_digest.toString('hex'),
    }));
    this.tenancy.send(
      `insert into idempotent_request (tenant_id, principal, method, path, idempotency_key, request_digest, status, body)
       select $1, r.principal, r.method, r.path, r.key, decode(r.digest, 'hex'), r.status, r.body
       from json_to_recordset($2::json) r(principal text, method text, path text, key text, digest text, status int, body text)
       on conflict (tenant_id, principal, method, path, idempotency_key)
       do update set request_digest = excluded.request_digest, status = excluded.status, body = excluded.body, created_at = now()`,
      [this.tenancy.tenant, JSON.stringify(rows)],
    );
  }
}
