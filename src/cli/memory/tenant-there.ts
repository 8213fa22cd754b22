import type { INestApplicationContext } from '@nestjs/common';
import { CrossTenant } from '../../common/tenancy/cross-tenant.js';
import { UserError } from '../output.js';

/** A name with an error in it must not become a tenant. @throws UserError */
export async function checkTenant(services: INestApplicationContext, tenant: string): Promise<void> {
  const [found] = await services
    .get(CrossTenant)
    .run('memory packs', (query) =>
      query<{ state: string }>('select state from tenant where tenant_id = $1', [tenant]),
    );
  if (!found) throw new UserError(`There is no tenant ${tenant}; svc tenant list shows them`);
  if (found.state !== 'active') throw new UserError(`The tenant ${tenant} is ${found.state}`);
}
