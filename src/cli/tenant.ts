import { Argument, Command, Option } from 'commander';
import { TIERS, type Tier } from '../common/contract/caller.js';
import { TenantsStore } from '../common/keys/tenants.store.js';
import { withMigratedDatabase } from './migrated.js';
import { print, UserError, type OutputOptions } from './output.js';

export const tenantCommand = (): Command =>
  new Command('tenant').description('make and list tenants').addCommand(create()).addCommand(list());

const create = () =>
  new Command('create')
    .description('make a tenant and its first API key, which is shown this once')
    .addArgument(new Argument('<tenant>', 'name of the tenant, 1 to 120 characters'))
    .addOption(new Option('--tier <tier>', 'free, starter, pro or team').choices(TIERS).default('team'))
    .option('--json', 'print one JSON object')
    .action(async (tenantId: string, options: OutputOptions & { tier: Tier }) => {
      if (!/^[\w.:@-]{1,120}$/.test(tenantId))
        throw new UserError('A tenant is named with 1 to 120 letters, digits, or . : @ _ -');
      await withMigratedDatabase(async ({ address }) => {
        const made = await TenantsStore.using(address, (store) => store.createTenant(tenantId, options.tier));
        if (!made)
          throw new UserError(
            `There is a tenant ${tenantId} already; make it another key with: svc key create ${tenantId}`,
          );
        const { apiKey } = made.key;
        print(options, { tenant_id: tenantId, tier: options.tier, api_key: apiKey }, () => [
          `Tenant ${tenantId} (${options.tier})`,
          `API key, shown this once: ${apiKey}`,
        ]);
      });
    });

const list = () =>
  new Command('list')
    .description('list the tenants')
    .option('--json', 'print one JSON object')
    .action((options: OutputOptions) =>
      withMigratedDatabase(async ({ address }) => {
        const tenants = await TenantsStore.using(address, (store) => store.listTenants());
        print(options, { tenants }, () =>
          tenants.map(({ tenant_id, tier, created_at }) => `${tenant_id}\t${tier}\t${created_at.toISOString()}`),
        );
      }),
    );
