import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tier } from '../../../src/common/contract/caller.js';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { signatureOf } from '../../../src/modules/economy/ledger/payment-signature.rules.js';
import { caller, send, type Answer, type TestTenant } from '../../kit/app.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { ServerProcess } from '../../kit/server-process.js';
import { givenShared, ledgerFaults } from '../../medium/economy/given.js';

/** `npm run bench:credits` runs 100,000. */
const OPERATIONS = Number(process.env['SVC_LEDGER_OPERATIONS'] ?? 2_000);
const CLIENTS = 16;
/** Bundles each tenant sells, each of one corpus. */
const BUNDLES = 12;
/** Of what was acknowledged, so many of a kind are sent again. */
const REPEATS = 500;
/** A server is killed each time so many operations were acknowledged since the last was; forty times at most. */
const KILL_EVERY = Math.floor(OPERATIONS / Math.min(3 + OPERATIONS / 1_000, 40));
/** Under 16 clients on few cores. */
const RESTART_WITHIN_MS = 120_000;
const SECRET = 'whsec-of-the-payment-provider';
const TIERS: Tier[] = ['free', 'starter', 'pro', 'team'];
const WITHIN_MS = 90_000 + OPERATIONS * 120;

/** Of the API, and of the daemon. */
const REFUSALS = [
  ...['CreditsExhausted', 'ConversionCapReached', 'NoSubscription', 'AlreadyEntitled', 'OwnBundle'],
  'urn:svc:errors/credits-exhausted',
];

interface Account extends TestTenant {
  apiKey: string;
}
/** An operation that was acknowledged, with what would be sent to repeat it. */
interface Done {
  kind: 'tip' | 'convert' | 'purchase' | 'webhook' | 'retrieve' | 'spend' | 'grant';
  tenant: Account;
  path: string;
  body: object;
  key: string;
  answer: Answer;
}

let database: TestDatabase;
let dataDir: string;
/** Two of the API, two of the daemon. */
let servers: ServerProcess[];
let daemons: ServerProcess[];
let tenants: Account[];
const bundles: string[] = [];
const done: Done[] = [];
/** Conversions that were acknowledged and that the provider may settle. */
const conversionIds: string[] = [];
let lostRetrievals = 0;
/** Set when a server cannot be started again; what was sent is then waited for, and nothing more is sent. */
let isAbandoned = false;

beforeAll(async () => {
  database = await freshDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'svc-ledger-'));
  // A process that starts has to wait for its turn on a machine that 16 clients keep busy.
  const patient = { SVC_DATABASE_CONNECT_TIMEOUT_MS: '60000' };
  const start = () => ServerProcess.at(database.url, dataDir, { ...patient, SVC_PAYMENT_WEBHOOK_SECRET: SECRET });
  const startDaemon = (folder: string) =>
    ServerProcess.at(database.url, join(dataDir, folder), { ...patient, SVCD_CREDIT_METER: '1' }, 'daemon');
  servers = [await start(), await start()];
  daemons = [await startDaemon('first'), await startDaemon('second')];
  for (const server of [...servers, ...daemons]) await server.start();
  tenants = [];
  for (const tier of TIERS) tenants.push(await openTenant(tier));
  await givenShared(tenants[3]!, 'public_safe', { corpusId: 'commons' });
});
afterAll(async () => {
  await Promise.all([...servers, ...daemons].map((server) => server.stop('SIGKILL')));
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A tenant with bundles for sale. */
async function openTenant(tier: Tier): Promise<Account> {
  const made = await TenantsStore.using({ ownerUrl: database.url }, (store) => store.createTenant(tier, tier));
  const { apiKey } = made!.key;
  const tenant = { tenantId: tier, apiKey, keyId: made!.keyId, call: caller(servers[0]!.url, tier, apiKey) };
  await database.query(
    `insert into corpus (tenant_id, corpus_id) select $1, 'c' || n from generate_series(1, $2::int) n`,
    [tier, BUNDLES],
  );
  for (let n = 1; n <= BUNDLES; n++) {
    const offer = { title: `No ${n}`, description: 'A corpus.', corpora: [`c${n}`], priceCredits: n };
    const { status, body, text } = await tenant.call('POST', '/v1/bundles', offer);
    if (status !== 201) throw new Error(text);
    bundles.push(body.bundleId);
  }
  return tenant;
}

/** Numbers that are the same in every run. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 7919 + 17;
  return (below) => (state = (state * 48271) % 2147483647) % below;
}

function nextOperation(random: (below: number) => number, key: string): Omit<Done, 'answer'> {
  const tenant = tenants[random(tenants.length)]!;
  const agentId = `agent-${random(5)}`;
  const make = (kind: Done['kind'], path: string, body: object) => ({ kind, tenant, path, body, key });
  const dice = random(100);
  if (dice < 20) return make('tip', '/v1/economy/tip-platform', { agentId, credits: 1 + random(20) });
  if (dice < 45)
    return make('spend', '/v1/credits/spend', { agent_id: agentId, credits: 1 + random(40), reference: key });
  if (dice < 50) return make('grant', '', { agentId, credits: 1 + random(60) });
  if (dice < 60) return make('convert', '/v1/economy/convert', { agentId, credits: 100 });
  if (dice < 70)
    return make('purchase', '/v1/bundles/purchase', { agentId, bundleId: bundles[random(bundles.length)] });
  if (dice < 88 && conversionIds.length > 0) {
    const conversionId = conversionIds[random(conversionIds.length)]!;
    const type = random(3) ? 'conversion.applied' : 'conversion.failed';
    return make('webhook', '/v1/webhooks/payment/conversions', {
      id: `evt-${key}`,
      type,
      created: new Date().toISOString(),
      data: { conversionId },
    });
  }
  return make('retrieve', '/v1/retrieve', { query: 'wombats', agentId, lane: random(2) ? 'light' : 'verified' });
}

function sendOnce({ kind, tenant, path, body, key }: Omit<Done, 'answer'>, place: number): Promise<Answer> {
  const text = JSON.stringify(body);
  const [server, daemon] = [servers[place]!, daemons[place]!];
  if (kind === 'grant') return grant(tenant, key, body as Granting);
  if (kind === 'spend')
    return send(daemon.url, 'POST', path, body, {
      'x-svc-scopes': 'admin:write',
      'x-svc-tenant-id': tenant.tenantId,
    });
  if (kind === 'webhook')
    return send(server.url, 'POST', path, text, {
      'content-type': 'application/json',
      'x-payment-signature': signatureOf(SECRET, Math.floor(Date.now() / 1000), text),
    });
  return caller(server.url, tenant.tenantId, tenant.apiKey)('POST', path, body, { 'x-idempotency-key': key });
}

interface Granting {
  agentId: string;
  credits: number;
}

/** As `svc credits grant` books it, past the servers; the key makes it one. */
async function grant({ tenantId }: Account, key: string, { agentId, credits }: Granting): Promise<Answer> {
  const [row] = await database.query<{ moved: boolean }>(
    `select svc_move_credits($1, gen_random_uuid(), 'issuance', 'agent:' || $2, $3, 'grant', $4, 'operator', $2, 'trial') as moved`,
    [tenantId, agentId, credits, key],
  );
  return { status: 200, body: row, text: '', headers: new Headers() };
}

/** Sends until there is an answer that means something, always with the same key, as a careful client does. */
async function sendSurely(operation: Omit<Done, 'answer'>, random: (below: number) => number): Promise<Answer> {
  for (;;) {
    const answer = await sendOnce(operation, random(2)).catch(() => undefined);
    if (answer && answer.status !== 503 && answer.body.type !== 'IdempotencyInProgress') {
      if (answer.status >= 500) throw new Error(`${operation.path}: ${answer.text}`);
      return answer;
    }
    if (operation.kind === 'retrieve') lostRetrievals += 1;
    if (isAbandoned) throw new Error(`${operation.path} has no answer`);
    await sleep(20 + random(60));
  }
}

async function runClients(): Promise<void> {
  let next = 0;
  const client = async (_: unknown, number: number): Promise<void> => {
    const random = randomOf(number + 1);
    for (let index = next++; index < OPERATIONS && !isAbandoned; index = next++) {
      const operation = nextOperation(random, `operation-${index}`);
      const answer = await sendSurely(operation, random);
      done.push({ ...operation, answer });
      if (operation.kind === 'convert' && answer.status === 201) conversionIds.push(answer.body.conversionId);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** Kills a server of the API and a daemon in turn, again and again while there is work. */
async function killInTurn(work: Promise<void>): Promise<number> {
  let isOver = false;
  void work.finally(() => (isOver = true)).catch(() => undefined);
  let kills = 0;
  for (; ; kills++) {
    while (!isOver && done.length < (kills + 1) * KILL_EVERY) await sleep(20);
    if (isOver) return kills;
    const server = (kills % 2 ? daemons : servers)[Math.floor(kills / 2) % 2]!;
    await server.stop('SIGKILL');
    await server.start(RESTART_WITHIN_MS);
  }
}

const acknowledged = (kind: Done['kind']) => done.filter((one) => one.kind === kind && one.answer.status < 300);
const idsOf = async (sql: string) => (await database.query<{ id: string }>(sql)).map(({ id }) => id).sort();

describe('the ledger', () => {
  it(
    'lives through random operations of 16 clients on two apps and the killing of their servers',
    { timeout: WITHIN_MS },
    async () => {
      const work = runClients();
      const killing = killInTurn(work).catch((error: unknown) => {
        isAbandoned = true;
        throw error;
      });
      const [outcome, clients] = await Promise.allSettled([killing, work]);
      if (outcome.status === 'rejected') throw outcome.reason;
      if (clients.status === 'rejected') throw clients.reason;
      const kills = outcome.value;
      expect(kills).toBeGreaterThanOrEqual(2);
      expect(done).toHaveLength(OPERATIONS);
      const refused = new Set(done.filter(({ answer }) => answer.status >= 400).map(({ answer }) => answer.body.type));
      expect(REFUSALS).toEqual(expect.arrayContaining([...refused]));
      for (const kind of ['tip', 'convert', 'purchase', 'webhook', 'retrieve', 'spend', 'grant'] as const)
        expect([kind, acknowledged(kind).length > 0]).toEqual([kind, true]);
    },
  );

  it('sums to zero, has the balances of its entries and no account overdrawn', async () => {
    expect(await ledgerFaults(database)).toEqual([]);
  });

  it('has every acknowledged operation exactly once, and no other', async () => {
    const acknowledgedIds = (kind: Done['kind'], member: string) =>
      acknowledged(kind)
        .map(({ answer }) => answer.body[member] as string)
        .sort();
    expect(await idsOf(`select transfer_id as id from ledger_transfer where reason = 'tip'`)).toEqual(
      acknowledgedIds('tip', 'tipId'),
    );
    expect(await idsOf(`select transfer_id as id from ledger_transfer where reason = 'spend'`)).toEqual(
      acknowledgedIds('spend', 'transfer_id'),
    );
    expect(await idsOf('select transfer_id as id from credit_spending')).toEqual(
      acknowledgedIds('spend', 'transfer_id'),
    );
    expect(await idsOf(`select reference as id from ledger_transfer where reason = 'grant'`)).toEqual(
      acknowledged('grant')
        .map(({ key }) => key)
        .sort(),
    );
    expect(await idsOf('select conversion_id as id from conversion')).toEqual(
      acknowledgedIds('convert', 'conversionId'),
    );
    expect(await idsOf(`select reference as id from ledger_transfer where reason = 'conversion.requested'`)).toEqual(
      acknowledgedIds('convert', 'conversionId'),
    );
    for (const reason of ['bundle.purchased', 'bundle.sold'])
      expect(await idsOf(`select reference as id from ledger_transfer where reason = '${reason}'`)).toEqual(
        acknowledgedIds('purchase', 'purchaseId'),
      );
    const [sums] = await database.query<object>(
      `select (select count(*)::int from ledger_transfer t where t.reason in ('conversion.applied', 'conversion.failed')) as moved,
         (select count(*)::int from conversion where state <> 'pending') as settled,
         (select count(*)::int from conversion_event where outcome = 'settled') as events, (select count(*)::int from payment_event) as received`,
    );
    const events = acknowledged('webhook').length;
    const settled = new Set(
      acknowledged('webhook').map(({ body }) => (body as { data: { conversionId: string } }).data.conversionId),
    ).size;
    expect(sums).toEqual({ moved: settled, settled, events: settled, received: events });
  });

  it('charged every acknowledged retrieval of the commons once, and of lost ones no more than were sent', async () => {
    const charged = new Set(await idsOf(`select reference as id from ledger_transfer where reason = 'retrieval'`));
    const paid = acknowledged('retrieve').filter(({ answer }) => answer.body.credit_cost > 0);
    const named = paid
      .map(({ answer }) => answer.body.meta.retrievalId as string | undefined)
      .filter((id) => id !== undefined);
    expect(named.filter((id) => !charged.has(id))).toEqual([]);
    expect(charged.size).toBeGreaterThanOrEqual(paid.length);
    expect(charged.size).toBeLessThanOrEqual(paid.length + lostRetrievals);
  });

  it('answers every repeat as it answered the first time', { timeout: WITHIN_MS }, async () => {
    const before = await idsOf('select transfer_id as id from ledger_transfer');
    const repeated = (['tip', 'convert', 'purchase'] as const).flatMap((kind) => acknowledged(kind).slice(-REPEATS));
    const differing: object[] = [];
    for (const [index, one] of repeated.entries()) {
      const answer = await sendOnce(one, index % 2);
      const isSame = answer.status === one.answer.status && answer.text === one.answer.text;
      if (!isSame || answer.headers.get('x-idempotency-replayed') !== 'true')
        differing.push({ first: one.answer.text, again: answer.text });
    }
    expect(differing).toEqual([]);
    for (const [index, one] of acknowledged('spend').slice(-REPEATS).entries()) {
      const { body } = await sendOnce(one, index % 2);
      expect(body).toEqual({ ...one.answer.body, repeated: true });
    }
    const again = await Promise.all(
      acknowledged('webhook')
        .slice(0, 50)
        .map((one) => sendOnce(one, 0)),
    );
    expect(again.every(({ body }) => body.duplicate === true)).toBe(true);
    expect(await idsOf('select transfer_id as id from ledger_transfer')).toEqual(before);
  });
});
