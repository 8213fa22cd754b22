import { Argument, Command } from 'commander';
import { TOOL_SET_NAMES } from '../common/contract/tool-sets.js';
import { OPERATOR } from '../common/evidence-log/audit-trail.js';
import { TenantsStore } from '../common/keys/tenants.store.js';
import type { TenantSettingsService } from '../modules/access/tenant-settings/tenant-settings.service.js';
import { asOperator } from './operator.js';
import { print, UserError, type OutputOptions } from './output.js';
import { tenantOption } from './tenant-option.js';

interface TenantOptions extends OutputOptions {
  tenant: string;
}

/** `svc tools`: which set of tools the MCP clients of a tenant are shown (docs/agents.md). */
export const toolsCommand = (): Command =>
  new Command('tools')
    .description('show and set which set of tools the MCP clients of a tenant are shown')
    .addCommand(show())
    .addCommand(set());

const withTenant = (command: Command): Command =>
  command.addOption(tenantOption('whose clients')).option('--json', 'print one JSON object');

const show = () =>
  withTenant(new Command('show').description('show the set of a tenant')).action((options: TenantOptions) =>
    act(options, (settings) => settings.read(options.tenant)),
  );

const set = () =>
  withTenant(
    new Command('set')
      .description('set it; every process goes by it at once')
      .addArgument(new Argument('<set>', 'the set').choices(TOOL_SET_NAMES)),
  ).action((toolSet: string, options: TenantOptions) =>
    act(options, (settings) => settings.set(options.tenant, OPERATOR, { toolSet })),
  );

/** @throws UserError where there is no such tenant */
const act = (
  options: TenantOptions,
  work: (settings: TenantSettingsService) => Promise<{ toolSet: string | null }>,
): Promise<void> =>
  asOperator(async (services, { address }) => {
    const { tenant } = options;
    if (!(await TenantsStore.using(address, (store) => store.findTenant(tenant))))
      throw new UserError(`There is no tenant ${tenant}; svc tenant list shows them`);
    const { TenantSettingsService: Settings } =
      await import('../modules/access/tenant-settings/tenant-settings.service.js');
    const { toolSet } = await work(services.get(Settings));
    print(options, { tenant_id: tenant, tool_set: toolSet }, () => [
      toolSet === null ? `${tenant}: default (nothing is set)` : `${tenant}: ${toolSet}`,
    ]);
  });
