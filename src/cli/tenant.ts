import { Argument, Command, Option } from 'commander';
import { TIERS, type Tier } from '../common/contract/caller.js';
import { TENANT_NAME, TENANT_NAME_FORM } from '../common/keys/tenant-name.js';
import { TenantsStore } from '../common/keys/tenants.store.js';
import type { NewApiKey } from '../common/keys/api-key.js';
import { DISCOVERY_TENANT } from '../common/tenancy/discovery-tenant.js';
import { withMigratedDatabase } from './migrated.js';
import { print, table, tableTime, UsageError, UserError, type OutputOptions } from './output.js';
import { tenantActs } from './tenant/act.js';
import { exportTenant } from './tenant/export.js';
import { show } from './tenant/show.js';

export const tenantCommand = (): Command => {
  const command = new Command('tenant')
    .description('make, list, show and export tenants; change their tier, suspend, resume and delete them')
    .addCommand(create())
    .addCommand(list())
    .addCommand(show())
    .addCommand(exportTenant())
    .addHelpText('after', '\nWhat each does, and to what: docs/operations.md, "Tenants".');
  for (const act of tenantActs()) command.addCommand(act);
  return command;
};

const create = () =>
  new Command('create')
    .description('make a tenant and its first API key, which is shown this once')
    .addArgument(new Argument('<tenant>', 'name of the tenant, 1 to 120 characters'))
    .addOption(new Option('--tier <tier>', 'free, starter, pro or team').choices(TIERS).default('team'))
    .option('--adopt', 'take over the data that stands under the name already')
    .option('--json', 'print one JSON object')
    .action(async (tenantId: string, options: CreateOptions) => {
      if (!options.adopt) checkName(tenantId);
      await withMigratedDatabase(async ({ address }) => {
        const { apiKey } = await TenantsStore.using(address, (store) => makeTenant(store, tenantId, options));
        print(options, { tenant_id: tenantId, tier: options.tier, api_key: apiKey }, () => [
          `Tenant ${tenantId} (${options.tier})`,
          `API key, shown this once: ${apiKey}`,
        ]);
      });
    });

interface CreateOptions extends OutputOptions {
  tier: Tier;
  adopt?: boolean;
}

/** @throws UserError */
async function makeTenant(store: TenantsStore, tenantId: string, { tier, adopt }: CreateOptions): Promise<NewApiKey> {
  // Data of earlier versions may stand under a name of another form.
  if (!(await store.findTenant(tenantId))?.implicit) checkName(tenantId);
  const made = await store.createTenant(tenantId, tier, { adopt });
  if (made) return made.key;
  const found = await store.findTenant(tenantId);
  if (found?.state === 'deleted')
    throw new UserError(`The tenant ${tenantId} was deleted, and its name is not given to another; choose a new one`);
  if (tenantId === DISCOVERY_TENANT || (found && !found.implicit))
    throw new UserError(`There is a tenant ${tenantId} already; make it another key with: svc key create ${tenantId}`);
  throw new UserError(
    `Data was stored under the name ${tenantId} before anybody created the tenant, and whoever gets its key could read it. ` +
      `If that is meant: svc tenant create ${tenantId} --adopt`,
  );
}

/** @throws UserError */
function checkName(tenantId: string): void {
  if (!TENANT_NAME.test(tenantId)) throw new UsageError(`A tenant is named with ${TENANT_NAME_FORM}`);
}

const list = () =>
  new Command('list')
    .description('list the tenants; those that a first write registered are implicit')
    .option('--json', 'print one JSON object')
    .action((options: OutputOptions) =>
      withMigratedDatabase(async ({ address }) => {
        const tenants = await TenantsStore.using(address, (store) => store.listTenants());
        print(options, { tenants }, () =>
          table(
            ['TENANT', 'TIER', 'STATE', 'CREATED', 'REGISTERED'],
            tenants.map(({ tenant_id, tier, state, created_at, implicit }) => [
              tenant_id,
              tier,
              state,
              tableTime(created_at),
              implicit ? 'implicit' : 'created',
            ]),
          ),
        );
      }),
    );
