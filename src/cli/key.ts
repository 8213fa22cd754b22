import { Command } from 'commander';
import { rotateSigningKey } from '../common/evidence/rotate-signing-key.js';
import type { NewApiKey } from '../common/keys/api-key.js';
import { TenantsStore, type KeyRow } from '../common/keys/tenants.store.js';
import { DISCOVERY_TENANT } from '../common/tenancy/discovery-tenant.js';
import { withMigratedDatabase } from './migrated.js';
import { print, UserError, type OutputOptions } from './output.js';

export const keyCommand = (): Command =>
  new Command('key')
    .description('make, list, rotate and revoke API keys; rotate the signing key')
    .addCommand(create())
    .addCommand(list())
    .addCommand(rotate())
    .addCommand(revoke())
    .addCommand(rotateSigning());

const create = () =>
  new Command('create')
    .description('make another API key for a tenant, shown this once')
    .argument('<tenant>')
    .option('--json', 'print one JSON object')
    .action((tenantId: string, options: OutputOptions) =>
      inTenant(tenantId, async (store) => {
        showKey(options, tenantId, await store.createKey(tenantId));
      }),
    );

const list = () =>
  new Command('list')
    .description('list the keys of a tenant; secrets are not stored and cannot be shown')
    .argument('<tenant>')
    .option('--json', 'print one JSON object')
    .action((tenantId: string, options: OutputOptions) =>
      inTenant(tenantId, async (store) => {
        const keys = await store.listKeys(tenantId);
        print(options, { tenant_id: tenantId, keys }, () =>
          keys.map(
            ({ key_id, prefix, revoked_at }) =>
              `${key_id}\t${prefix}\t${revoked_at ? `revoked ${revoked_at.toISOString()}` : 'active'}`,
          ),
        );
      }),
    );

const rotate = () =>
  new Command('rotate')
    .description('make a new key and revoke the old one, in one step')
    .argument('<tenant>')
    .argument('<key>', 'id or prefix of the key')
    .option('--json', 'print one JSON object')
    .action((tenantId: string, key: string, options: OutputOptions) =>
      inTenant(tenantId, async (store) => {
        const made = await store.rotateKey(tenantId, (await readKey(store, tenantId, key)).key_id);
        if (!made) throw new UserError(`Key ${key} was revoked before`);
        showKey(options, tenantId, made);
      }),
    );

const revoke = () =>
  new Command('revoke')
    .description('revoke a key; every process refuses it within a second')
    .argument('<tenant>')
    .argument('<key>', 'id or prefix of the key')
    .option('--json', 'print one JSON object')
    .action((tenantId: string, key: string, options: OutputOptions) =>
      inTenant(tenantId, async (store) => {
        const { key_id } = await readKey(store, tenantId, key);
        const revoked = await store.revokeKey(tenantId, key_id);
        print(options, { tenant_id: tenantId, key_id, revoked }, () => [
          revoked ? `Revoked ${key_id}.` : `${key_id} was revoked before.`,
        ]);
      }),
    );

const rotateSigning = () =>
  new Command('rotate-signing')
    .description('make a new key for signing receipts and checkpoints; what the old one signed stays verifiable')
    .option('--json', 'print one JSON object')
    .action((options: OutputOptions) =>
      withMigratedDatabase(async ({ settings, address }) => {
        const { retired, active } = await rotateSigningKey(settings, address);
        print(options, { retired, active }, () => [
          `Key ${active} signs from now on.`,
          `Key ${retired} ends in a minute.`,
        ]);
      }),
    );

function inTenant(tenantId: string, work: (store: TenantsStore) => Promise<void>): Promise<void> {
  return withMigratedDatabase(({ address }) =>
    TenantsStore.using(address, async (store) => {
      if (tenantId === DISCOVERY_TENANT)
        throw new UserError(`${tenantId} is for agents that registered themselves; it has no keys`);
      if (!(await store.findTenant(tenantId)))
        throw new UserError(`There is no tenant ${tenantId}; svc tenant list shows them`);
      await work(store);
    }),
  );
}

async function readKey(store: TenantsStore, tenantId: string, idOrPrefix: string): Promise<KeyRow> {
  const found = (await store.listKeys(tenantId)).find(
    ({ key_id, prefix }) => key_id === idOrPrefix || prefix === idOrPrefix,
  );
  if (!found) throw new UserError(`Tenant ${tenantId} has no key ${idOrPrefix}; svc key list ${tenantId} shows them`);
  return found;
}

function showKey(options: OutputOptions, tenantId: string, { keyId, key }: { keyId: string; key: NewApiKey }): void {
  const { prefix, apiKey } = key;
  print(options, { tenant_id: tenantId, key_id: keyId, prefix, api_key: apiKey }, () => [
    `Key ${keyId} of ${tenantId}`,
    `API key, shown this once: ${apiKey}`,
  ]);
}
