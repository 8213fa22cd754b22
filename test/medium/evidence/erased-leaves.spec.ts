import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SETTINGS, type Settings } from '../../../src/common/config/settings.js';
import { ErasureList } from '../../../src/common/erasures/erasure-list.js';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { KnownKeys } from '../../../src/common/evidence-log/known-keys.js';
import { EvidenceLook } from '../../../src/common/evidence-log/evidence-look.js';
import { countRecords, describeCount, examineNewest } from '../../../src/common/evidence-log/newest-evidence.js';
import {
  ERASURE_STREAM,
  RECORDS_ERASED,
  SUBJECT_RECORDS_ERASED,
} from '../../../src/common/evidence-log/removed-records.js';
import { CrossTenant, type Query } from '../../../src/common/tenancy/cross-tenant.js';
import { RecordErasureService } from '../../../src/modules/access/tenants/record-erasure.service.js';
import { blake3, namedDigest } from '../../../src/evidence/digest.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { recordRetrieval } from '../../kit/retrieval-receipt.js';
import { type EvidenceApp, openEvidence, sampleEvent } from './evidence-app.js';

let database: TestDatabase;
let app: EvidenceApp;
let crossTenant: CrossTenant;
let settings: Settings;
let erasure: RecordErasureService;
let root: Client;
beforeAll(async () => {
  database = await freshDatabase();
  app = await openEvidence(database.url, { SVC_LOG_INTERVAL_MS: '60000' });
  crossTenant = app.context.get(CrossTenant);
  settings = app.context.get<Settings>(SETTINGS);
  erasure = new RecordErasureService(
    ...([app.tenancy, crossTenant, app.evidence, app.sequencer, app.context.get(KnownKeys), settings] as const),
  );
  root = new Client({ connectionString: database.superuserUrl });
  await root.connect();
});
afterAll(async () => {
  await root.end();
  await app.close();
  await database.drop();
});

const insider = async (sql: string, parameters: unknown[] = []) => {
  await root.query('begin; set local session_replication_role = replica');
  await root.query(sql, parameters);
  await root.query('commit');
};
const faults = async () => (await app.context.get(EvidenceAudit).verifyChain()).faults;
const onSnapshot = <T>(work: (query: Query) => Promise<T>): Promise<T> =>
  crossTenant.run('test', async (query) => {
    await query('set transaction isolation level repeatable read read only');
    return work(query);
  });
const basis = () => ({ checks: [], keys: app.context.get(KnownKeys) });
const counted = async () => describeCount(await onSnapshot((query) => countRecords(query, basis().keys)))?.detail;
const newest = async () => (await onSnapshot((query) => examineNewest(query, basis()))).faults;

/** A tenant with three receipts and a retrieval receipt, and the receipt of its deletion where it has one. */
async function makeTenant(tenant: string, isDeleted = true): Promise<string[]> {
  await insider(
    `insert into tenant (tenant_id, tier, state, erase_after, erasure_began_at, erased_clearing)
     values ($1, 'free', 'deleted', now(), now(), 0)`,
    [tenant],
  );
  const made = await app.tenancy.run(tenant, async () => {
    const receipts = await app.evidence.recordMany([1, 2, 3].map((n) => sampleEvent(n)));
    await recordRetrieval(app.evidence, tenant, { actor: 'key:test', authMode: 'api_key', body: { q: 1 } });
    if (isDeleted) await app.evidence.record({ ...sampleEvent(4), kind: 'tenant.deleted', stream: 'tenant' });
    return receipts;
  });
  await app.sequencer.integrate();
  return made.map(({ receiptId }) => receiptId);
}
async function erase(tenant: string): Promise<void> {
  await erasure.announceRemoved(tenant);
  for (const table of ['receipt', 'retrieval_receipt'] as const) while ((await erasure.eraseSome(tenant, table)) !== 0);
  await app.sequencer.integrate();
}

/** As the list has the erasure of a subject. */
function keepErasure(erasureId: string, tenantId: string): void {
  const list = new ErasureList(settings);
  const names = { entities: [], fact_ids: [], documents: [], principals: [], entity_prefixes: [], texts: [] };
  const erased = { erasure_id: erasureId, tenant_id: tenantId, erased_at: new Date().toISOString(), erased_by: 'p' };
  list.discard(erasureId);
  list.prepare({ format: 'svc-erasure-1', ...erased, salt: '', ...names });
  list.settle(erasureId);
}

let serial = 0;
let tenant: string;
beforeEach(() => {
  tenant = `gone-${(serial += 1)}`;
});

describe('the records of an erased tenant', () => {
  it('are accounted for by the receipts that it left', async () => {
    await makeTenant(tenant);
    expect([await faults(), await counted(), await newest()]).toEqual([[], undefined, []]);
    await erase(tenant);
    const { rows } = await root.query('select kind from receipt where tenant_id = $1 order by seq', [tenant]);
    expect(rows.map(({ kind }) => kind)).toEqual(['tenant.deleted', RECORDS_ERASED, RECORDS_ERASED]);
    expect([await faults(), await counted(), await newest()]).toEqual([[], undefined, []]);
  });

  it('are so at any moment of the erasure', async () => {
    await makeTenant(tenant);
    expect(await erasure.eraseSome(tenant, 'receipt')).toBe(3);
    expect([await faults(), await counted()]).toEqual([[], undefined]);
    await erase(tenant);
    expect([await faults(), await counted()]).toEqual([[], undefined]);
  });

  it('are missed where an announcement was altered, or nothing says that the tenant was deleted', async () => {
    await makeTenant(tenant);
    await erase(tenant);
    const where = `where tenant_id = '${tenant}' and kind = '${RECORDS_ERASED}' and seq = 2`;
    const flip = `update receipt set cose = set_byte(cose, length(cose) - 1, get_byte(cose, length(cose) - 1) # 1) ${where}`;
    await insider(flip);
    const lost = (await faults()).filter((fault) => /^leaf .* its record is gone$/.test(fault));
    expect([lost.length, await counted()]).toEqual([4, expect.stringMatching(/^3 records of the log are gone/)]);
    await insider(flip);
    expect([await faults(), await counted()]).toEqual([[], undefined]);

    await makeTenant(`${tenant}-unsaid`, false);
    const unsaid = `tenant ${tenant}-unsaid is marked as being erased, and none of its receipts says that it was deleted`;
    expect(await faults()).toEqual([unsaid]);
    await insider(`delete from tenant where tenant_id = $1`, [`${tenant}-unsaid`]);
    expect(await faults()).toEqual([]);
  });

  it('are so with those that erasures of subjects had removed from it', async () => {
    const [named, waiting] = await makeTenant(tenant);
    const digestOf = async (receiptId: string | undefined) => {
      const { rows } = await root.query<{ cose: Buffer }>('delete from receipt where receipt_id = $1 returning cose', [
        receiptId,
      ]);
      return Buffer.from(blake3(rows[0]!.cose));
    };
    const digests = [namedDigest('blake3', await digestOf(named))];
    await app.tenancy.run(tenant, () =>
      app.evidence.record({
        ...sampleEvent(5),
        ...{ kind: SUBJECT_RECORDS_ERASED, stream: ERASURE_STREAM, body: { records: 1, digests } },
      }),
    );
    await root.query('insert into erased_receipt (tenant_id, record_digest, erasure_id) values ($1, $2, $3)', [
      ...[tenant, await digestOf(waiting), waiting],
    ]);
    keepErasure(waiting!, tenant);
    await erase(tenant);
    await insider('delete from erased_receipt where tenant_id = $1', [tenant]);
    expect([await faults(), await counted(), await newest()]).toEqual([[], undefined, []]);
  });

  it('are not so by a row of an erasure that the list does not have', async () => {
    const [removed] = await makeTenant(tenant);
    const { rows } = await root.query<{ cose: Buffer }>('delete from receipt where receipt_id = $1 returning cose', [
      removed,
    ]);
    await root.query('insert into erased_receipt (tenant_id, record_digest, erasure_id) values ($1, $2, $3)', [
      ...[tenant, Buffer.from(blake3(rows[0]!.cose)), removed],
    ]);
    keepErasure(removed!, 'another');
    await erase(tenant);
    expect(await counted()).toMatch(/^1 records of the log are gone/);
    keepErasure(removed!, tenant);
    await erasure.announceRemoved(tenant);
    expect(await counted()).toBe(undefined);
  });

  it('are so where they cannot be read', async () => {
    await makeTenant(tenant);
    const record = Buffer.from('no CBOR');
    await insider(
      `insert into receipt (tenant_id, receipt_id, stream, seq, payload_hash, kind, actor, subject, occurred_at, cose)
       values ($1, gen_random_uuid(), 'unreadable', 1, $2, 'test.happened', 'key:test', 's', now(), $3)`,
      [tenant, Buffer.from(blake3(record)), record],
    );
    await root.query(`insert into log_pending (record_type, record_digest) values ('execution', $1)`, [
      Buffer.from(blake3(record)),
    ]);
    await erase(tenant);
    expect([await faults(), await counted(), await newest()]).toEqual([[], undefined, []]);
  });

  it('hide none of another tenant that was moved to them', async () => {
    const [moved] = await makeTenant(`${tenant}-victim`);
    await makeTenant(tenant);
    await insider(`update receipt set tenant_id = $1, stream = 'x' where receipt_id = $2`, [tenant, moved]);
    await erase(tenant);
    await erase(`${tenant}-victim`);
    expect(await faults()).toEqual([expect.stringMatching(/^leaf \d+ of the log .*: its record is gone$/)]);
    expect(await counted()).toMatch(/^1 records of the log are gone/);
  });
});

describe('a look that takes its time', () => {
  it('finds nothing amiss in what is written, waits for a leaf or is erased meanwhile', async () => {
    const known = await faults();
    await makeTenant(tenant);
    const look = await onSnapshot((query) => EvidenceLook.begin(query, basis()));
    const found: string[] = [];
    for (let n = 0; !look.isOver; n += 1) {
      const at = look.at;
      found.push(...(await onSnapshot((query) => look.step(query, 2))).map(({ detail }) => detail));
      await app.tenancy.run('busy', () => app.evidence.record(sampleEvent(n)));
      if (n % 3 === 0) await app.sequencer.integrate();
      if (n === 4) await erase(tenant);
      expect(look.at).not.toEqual(at);
    }
    expect(found).toEqual(known);
    expect([await newest(), (await counted())?.slice(0, 9)]).toEqual([[], '1 records']);
  });

  it('goes on where another process left it', async () => {
    const known = await faults();
    const first = await onSnapshot((query) => EvidenceLook.begin(query, basis()));
    for (let n = 0; n < 4; n += 1) await onSnapshot((query) => first.step(query, 3));
    const kept = JSON.parse(JSON.stringify(first.at)) as typeof first.at;
    const second = EvidenceLook.resume(kept, Buffer.from(first.marks.bits), basis());
    const found: string[] = [];
    while (!second.isOver)
      found.push(...(await onSnapshot((query) => second.step(query, 3))).map(({ detail }) => detail));
    expect(found).toEqual(known);
  });

  it('compares each tile of the log with the one above it', async () => {
    const known = await faults();
    await app.tenancy.run('busy', () => app.evidence.recordMany(Array.from({ length: 300 }, (_, n) => sampleEvent(n))));
    await app.sequencer.integrate();
    expect(await faults()).toEqual(known);
    const flip = 'update log_tile set hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1) where level = 1';
    await insider(flip);
    const fault = 'tile 0/0 of the log does not make the hash that the tile above has of it';
    expect(await faults()).toEqual([fault, ...known]);
    await insider(flip);
    expect(await faults()).toEqual(known);
  });
});
