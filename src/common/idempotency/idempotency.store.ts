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

@Injectable()
export class IdempotencyStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * Takes the key for the rest of the transaction, unless another transaction holds it: then false, at once. A killed
   * process's hold ends with its connection.
   */
  async tryHold(scope: IdempotencyScope): Promise<boolean> {
    const [row] = await this.tenancy.query<{ held: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended(jsonb_build_array($1::text, $2::text, $3::text, $4::text, $5::text)::text, 0)) as held`,
      [this.tenancy.tenant, scope.principal, scope.method, scope.path, scope.key],
    );
    return row?.held === true;
  }

  async find(scope: IdempotencyScope): Promise<StoredReply | undefined> {
    const [row] = await this.tenancy.query<StoredReply>(
      `select request_digest, status, body from idempotent_request
       where principal = $1 and method = $2 and path = $3 and idempotency_key = $4 and created_at > now() - interval '24 hours'`,
      [scope.principal, scope.method, scope.path, scope.key],
    );
    return row;
  }

  /** Writes over a record that is older than its 24 hours. */
  async record(scope: IdempotencyScope, reply: StoredReply): Promise<void> {
    await this.tenancy.query(
      `insert into idempotent_request (tenant_id, principal, method, path, idempotency_key, request_digest, status, body) values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (tenant_id, principal, method, path, idempotency_key)
       do update set request_digest = excluded.request_digest, status = excluded.status, body = excluded.body, created_at = now()`,
      [
        this.tenancy.tenant,
        scope.principal,
        scope.method,
        scope.path,
        scope.key,
        reply.request_digest,
        reply.status,
        reply.body,
      ],
    );
  }
}
