import { Command, InvalidArgumentError } from 'commander';
import type { Settings } from '../common/config/settings.js';
import { addEs256Key, type Es256Addition } from '../common/evidence-log/add-es256-key.js';
import { createKeyFile, type KeyFile, readKeyFile } from '../common/evidence-log/key-files.js';
import { readFirstKey, readKeyRows } from '../common/evidence-log/known-keys.js';
import { placeOfKeys } from '../common/evidence-log/own-keys.js';
import { rotateSigningKeys, type Rotation } from '../common/evidence-log/rotate-signing-key.js';
import { createWitnessFile, findWitnessSecret, witnessOf } from '../common/evidence-log/witness-key-file.js';
import type { Query } from '../common/tenancy/cross-tenant.js';
import { logName } from '../evidence/checkpoint.js';
import { PURPOSES, type Purpose } from '../evidence/purposes.js';
import { noteVerifierKey } from '../evidence/signed-note.js';
import type { EvidenceSigner } from '../evidence/signing-key.js';
import type { NewApiKey } from '../common/keys/api-key.js';
import { TenantsStore, type ListedKey, type ListedTenant } from '../common/keys/tenants.store.js';
import { DISCOVERY_TENANT } from '../common/tenancy/discovery-tenant.js';
import { acrossTenants, withMigratedDatabase } from './migrated.js';
import { print, table, tableTime, UserError, type OutputOptions, type Line } from './output.js';
import { readSeconds } from './seconds.js';

export const keyCommand = (): Command =>
  new Command('key')
    .description('make, list, rotate and revoke API keys; make, rotate and pin the signing keys')
    .addCommand(create())
    .addCommand(list())
    .addCommand(rotate())
    .addCommand(revoke())
    .addCommand(createSigning())
    .addCommand(createWitness())
    .addCommand(rotateSigning())
    .addCommand(addEs256())
    .addCommand(pin());

const create = () =>
  new Command('create')
    .description('make another API key for a tenant, shown this once')
    .argument('<tenant>')
    .option('--json', 'print one JSON object')
    .action((tenantId: string, options: OutputOptions) =>
      inTenant(tenantId, async (store, { implicit, state }) => {
        if (state === 'deleted')
          throw new UserError(`${tenantId} was deleted; "svc tenant resume ${tenantId} --reason ..." brings it back`);
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
            keys.map((key) => [key.key_id, key.prefix, tableTime(key.created_at), stateOf(key)]),
          ),
        );
      }),
    );

const stateOf = ({ status, revoked_at, expires_at }: ListedKey): string => {
  const since = revoked_at ?? expires_at;
  return status === 'active' || !since ? status : `${status} ${tableTime(since)}`;
};

const rotate = () =>
  new Command('rotate')
    .description('make a new key and revoke the old one, in one step')
    .argument('<tenant>')
    .argument('<key>', 'id or prefix of the key')
    .option('--json', 'print one JSON object')
    .action((tenantId: string, key: string, options: OutputOptions) =>
      inTenant(tenantId, async (store) => {
        const found = await readKey(store, tenantId, key);
        const made = await store.rotateKey(tenantId, found.key_id);
        if (!made)
          throw new UserError(
            `Key ${key} ${found.status === 'expired' ? 'has expired' : 'was revoked before'}; svc key create ${tenantId} makes another one`,
          );
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
      'let new keys sign from now on: those in the file of SVC_SIGNING_KEY_FILE, or of the signer of SVC_SIGNER_URL, that the database does not know yet, or ones made in their place; what others signed stays verifiable',
    )
    .option('--overlap <time>', 'how long the keys before them stay valid: 90s, 15m, 1h', readSeconds, 60)
    .option('--purpose <purpose...>', `of ${PURPOSES.join(', ')}; all unless named`, readPurpose)
    .option('--new-chain', 'begin again with keys that no old key names: where the old ones are lost')
    .option('--json', 'print one JSON object')
    .action((options: OutputOptions & { overlap: number; purpose?: Purpose[]; newChain?: boolean }) =>
      withMigratedDatabase(async ({ settings, address }) => {
        const { overlap: overlapSeconds, purpose, newChain } = options;
        const rotation = await rotateSigningKeys(settings, address, {
          overlapSeconds,
          ...(purpose ? { purposes: purpose } : {}),
          ...(newChain ? { newChain } : {}),
        });
        print(options, rotation, () => describeRotation(rotation, newChain ? 0 : overlapSeconds, settings));
      }),
    );

/** Commander hands each value and those before it. */
function readPurpose(value: string, before: Purpose[] = []): Purpose[] {
  const found = PURPOSES.find((purpose) => purpose === value);
  if (!found) throw new InvalidArgumentError(`Allowed choices are ${PURPOSES.join(', ')}.`);
  return [...before, found];
}

const describeRotation = ({ active, retired }: Rotation, overlapSeconds: number, settings: Settings): Line[] => [
  `From now on (${placeOfKeys(settings)}):`,
  ...table(
    ['PURPOSE', 'KEY'],
    PURPOSES.map((purpose) => [purpose, active[purpose]]),
  ),
  ...retired.map((kid) => (overlapSeconds > 0 ? `Key ${kid} ends in ${overlapSeconds} s.` : `Key ${kid} has ended.`)),
];

const addEs256 = () =>
  new Command('add-es256')
    .description(
      'name a key on P-256, by which COSE receipts are signed in ES256 for those who ask for it; run again, it takes the place of the one before',
    )
    .option('--overlap <time>', 'how long the key before it stays valid: 90s, 15m, 1h', readSeconds, 60)
    .option('--json', 'print one JSON object')
    .action((options: OutputOptions & { overlap: number }) =>
      withMigratedDatabase(async ({ settings, address }) => {
        const added = await addEs256Key(settings, address, options.overlap);
        print(options, added, () => describeAddition(added, options.overlap, settings));
      }),
    );

const describeAddition = ({ kid, retired }: Es256Addition, overlapSeconds: number, settings: Settings): Line[] => [
  `COSE receipts in ES256 are signed by ${kid} (${placeOfKeys(settings)}).`,
  ...(retired === null ? [] : [`Key ${retired} ends in ${overlapSeconds} s.`]),
];

const createSigning = () =>
  new Command('create-signing')
    .description(
      'make a file with keys for signing receipts, the log and exports, for SVC_SIGNING_KEY_FILE of every process',
    )
    .argument('<file>', 'must not be there yet')
    .option('--after <file>', 'the key file in use: its keys go along, so that they can name the new ones')
    .option('--json', 'print one JSON object')
    .action((file: string, options: OutputOptions & { after?: string }) => {
      const { kid } = makeKeyFile(file, options.after);
      print(options, { file, kid }, () => [
        `Made keys in ${file}; that for receipts is ${kid}. Set SVC_SIGNING_KEY_FILE to it, on every machine.`,
      ]);
    });

const createWitness = () =>
  new Command('create-witness')
    .description('make a file with the key for cosigning the logs of peers, for SVC_WITNESS_KEY_FILE of every daemon')
    .argument('<file>', 'must not be there yet')
    .option('--json', 'print one JSON object')
    .action((file: string, options: OutputOptions) => {
      orUserError(file, () => createWitnessFile(file));
      print(options, { file }, () => [`Made a key in ${file}. Set SVC_WITNESS_KEY_FILE to it, on every machine.`]);
    });

const pin = () =>
  new Command('pin')
    .description('print the first signing key as a note verifier key: what whoever verifies this evidence pins')
    .option('--witness', 'the key by which this server cosigns the logs of its peers, for SVC_WITNESSES there')
    .option('--json', 'print one JSON object')
    .action((options: OutputOptions & { witness?: true }) =>
      acrossTenants(async (query, settings) => {
        const read = options.witness ? readWitnessPin : readPin;
        const { kid, verifierKey } = await read(query, settings);
        print(options, { kid, verifier_key: verifierKey }, () => [verifierKey]);
      }),
    );

async function readPin(query: Query, settings: Settings): Promise<{ kid: string; verifierKey: string }> {
  const first = await readFirstKey(settings, await readKeyRows(query));
  if (!first) throw new UserError('There is no first key yet: the first start makes it');
  const [head] = await query<{ origin: string }>('select origin from log_head');
  return {
    kid: first.kid,
    verifierKey: noteVerifierKey(logName(head?.origin ?? settings.evidence.logOrigin), first.bytes),
  };
}

async function readWitnessPin(query: Query, settings: Settings): Promise<{ kid: string; verifierKey: string }> {
  const [head] = await query<{ origin: string }>('select origin from log_head');
  if (!head)
    throw new UserError('There is no witness key yet: it is that of an epoch of the log, which the first start begins');
  const secret = findWitnessSecret(settings);
  if (!secret)
    throw new UserError(
      'This server has no witness key: "svc key create-witness FILE" makes one; set SVC_WITNESS_KEY_FILE to it',
    );
  const { key, verifierKey } = witnessOf(secret, head.origin);
  return { kid: key.kid, verifierKey };
}

function makeKeyFile(file: string, after?: string): EvidenceSigner {
  const earlier = after === undefined ? undefined : readEarlier(after);
  return orUserError(file, () => createKeyFile(file, earlier));
}

function readEarlier(file: string): KeyFile {
  try {
    return readKeyFile(file);
  } catch (error) {
    throw new UserError(`--after ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function orUserError<T>(file: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UserError(
      code === 'EEXIST' ? `${file} is there already; a key is never overwritten` : `Cannot make ${file}: ${message}`,
    );
  }
}

function inTenant(tenantId: string, work: (store: TenantsStore, tenant: ListedTenant) => Promise<void>): Promise<void> {
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

async function readKey(store: TenantsStore, tenantId: string, idOrPrefix: string): Promise<ListedKey> {
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
