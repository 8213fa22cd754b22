import { Command } from 'commander';
import { createKeyFile, signingKeyFile } from '../common/evidence-log/key-files.js';
import { rotateSigningKey } from '../common/evidence-log/rotate-signing-key.js';
import type { SigningKey } from '../evidence/signing-key.js';
import type { NewApiKey } from '../common/keys/api-key.js';
import { TenantsStore, type KeyRow, type TenantRow } from '../common/keys/tenants.store.js';
import { DISCOVERY_TENANT } from '../common/tenancy/discovery-tenant.js';
import { withMigratedDatabase } from './migrated.js';
import { print, table, tableTime, UserError, type OutputOptions } from './output.js';
import { readSeconds } from './seconds.js';

export const keyCommand = (): Command =>
  new Command('key')
    .description('make, list, rotate and revoke API keys; make and rotate the signing key')
    .addCommand(create())
    .addCommand(list())
    .addCommand(rotate())
    .addCommand(revoke())
    .addCommand(createSigning())
    .addCommand(rotateSigning());

const create = () =>
  new Command('create')
    .description('make another API key for a tenant, shown this once')
    .argument('<tenant>')
    .option('--json', 'print one JSON object')
    .action((tenantId: string, options: OutputOptions) =>
      inTenant(tenantId, async (store, { implicit }) => {
        if (implicit)
          throw new UserError(
            `Nobody created ${tenantId}: its first write registered it. Create it with its data: svc tenant create ${tenantId} --adopt`,
          );
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
          table(
            ['KEY', 'PREFIX', 'CREATED', 'STATE'],
            keys.map(({ key_id, prefix, created_at, revoked_at }) => [
              key_id,
              prefix,
              tableTime(created_at),
              revoked_at ? `revoked ${tableTime(revoked_at)}` : 'active',
            ]),
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
    .description(
      'let the key in the file of SVC_SIGNING_KEY_FILE sign from now on, or make a new one in its place where it signs already; what others signed stays verifiable',
    )
    .option('--overlap <time>', 'how long the keys before it stay valid: 90s, 15m, 1h', readSeconds, 60)
    .option('--json', 'print one JSON object')
    .action((options: OutputOptions & { overlap: number }) =>
      withMigratedDatabase(async ({ settings, address }) => {
        const { retired, active } = await rotateSigningKey(settings, address, options.overlap);
        print(options, { retired, active }, () => [
          `Key ${active} signs from now on (${signingKeyFile(settings)}).`,
          ...retired.map((kid) => `Key ${kid} ends in ${options.overlap} s.`),
        ]);
      }),
    );

const createSigning = () =>
  new Command('create-signing')
    .description(
      'make a file with a key for signing receipts and checkpoints, for SVC_SIGNING_KEY_FILE of every process',
    )
    .argument('<file>', 'must not be there yet')
    .option('--json', 'print one JSON object')
    .action((file: string, options: OutputOptions) => {
      const { kid } = makeKeyFile(file);
      print(options, { file, kid }, () => [
        `Made key ${kid} in ${file}. Set SVC_SIGNING_KEY_FILE to it, on every machine.`,
      ]);
    });

function makeKeyFile(file: string): SigningKey {
  try {
    return createKeyFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UserError(
      code === 'EEXIST' ? `${file} is there already; a key is never overwritten` : `Cannot make ${file}: ${message}`,
    );
  }
}

function inTenant(tenantId: string, work: (store: TenantsStore, tenant: TenantRow) => Promise<void>): Promise<void> {
  return withMigratedDatabase(({ address }) =>
    TenantsStore.using(address, async (store) => {
      if (tenantId === DISCOVERY_TENANT)
        throw new UserError(`${tenantId} is for agents that registered themselves; it has no keys`);
      const tenant = await store.findTenant(tenantId);
      if (!tenant) throw new UserError(`There is no tenant ${tenantId}; svc tenant list shows them`);
      await work(store, tenant);
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
