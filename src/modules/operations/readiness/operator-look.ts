import { Injectable } from '@nestjs/common';
import { CHECK_TIMEOUT_MS } from '../../../common/health/check-run.js';
import { CrossTenant, type Query } from '../../../common/tenancy/cross-tenant.js';

/** Just under what a probe waits for a gate, so that a statement that hangs is ended and its connection comes back. */
const STATEMENT_MS = CHECK_TIMEOUT_MS - 100;

/** How the gates look at the database: across tenants, changing nothing, on one snapshot and not for long. */
@Injectable()
export class OperatorLook {
  constructor(private readonly crossTenant: CrossTenant) {}

  at<T>(look: (query: Query) => Promise<T>): Promise<T> {
    return this.crossTenant.run('readiness', async (query) => {
      await query('set transaction isolation level repeatable read read only');
      await query(`set local statement_timeout = ${STATEMENT_MS}`);
      return look(query);
    });
  }
}
