import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { EvidenceService } from '../../../src/common/evidence-log/evidence.service.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { SUBJECT_CHECKS } from '../../../src/modules/operations/readiness/subject-checks.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { openIncident, walk } from '../../medium/incidents/given.js';
import { ingest, retrieve, withdraw } from '../../medium/retrieval/given.js';
import { anotherKey, approved, document, expectStatus, mark, resolve } from '../../medium/shield/given.js';

/** What somebody with SQL alone, as superuser and with triggers off, makes of single rows: one attack after another. */
interface Attack {
  /** All rows of these are kept, and put back after it. */
  readonly tables: readonly string[];
  readonly sql: string;
  /** What `svc doctor --full` says, among what else. */
  readonly said: RegExp;
}

let api: TestApi;
let daemon: TestDaemon;
let call: DaemonCall;
let incident: string;
let root: Client;

const FACTS = ['secret', 'corrected', 'aside', 'deleted'] as const;
const facts = new Map<string, string>();

async function put(key: string, value: string, more: object = {}): Promise<string> {
  const { status, body } = await call('PUT', '/v1/facts', { entity: 'notes', key, value, ...more });
  expect([status, body.detail]).toEqual([201, undefined]);
  return body.fact_id;
}

beforeAll(async () => {
  api = await startApi();
  daemon = await startDaemon({
    database: api.database,
    env: { SVCD_FEATURE_INCIDENTS: '1', SVCD_FEATURE_LEGAL_HOLD: '1' },
  });
  const tenant = api.tenant.tenantId;
  call = daemon.as({ scopes: ALL_SCOPES, tenant });
  for (const docId of ['cassowary', 'thylacine', 'replaced', 'gone', 'returned'])
    await ingest(api.tenant, [{ docId, content: `The ${docId} was seen in the morning.` }]);
  // Of a batch.
  await ingest(
    api.tenant,
    ['bilby', 'numbat'].map((docId) => ({ docId, content: `The ${docId} sleeps by day.` })),
  );
  const { results } = await retrieve(api.tenant, 'cassowary morning', { lane: 'audit', includeCommons: false });
  const answer = { agentId: 'a', answerId: 'one', idempotencyKey: 'the-answer-one', answerText: 'In the morning.' };
  const recorded = await api.tenant.call(
    'POST',
    '/v1/citations',
    { ...answer, citations: [{ chunkId: results[0].chunkId }] },
    { 'x-idempotency-key': '' },
  );
  expect([recorded.status, recorded.body.errors]).toEqual([201, undefined]);
  const events = [{ type: 'said', payload: { n: 1 } }];
  const appended = await call('POST', '/v1/append', { tenant_id: tenant, stream_type: 'chat', stream_id: 's', events });
  expect(appended.status).toBe(200);
  for (const key of FACTS) facts.set(key, await put(key, `about ${key}`));
  await put('corrected', 'what is so');
  await put('sourced', 'because of it', { sources: [facts.get('secret')!] });
  expect((await call('DELETE', `/v1/facts/${facts.get('deleted')!}`)).status).toBe(200);

  const cases: string[] = [];
  for (const task of ['bake', 'boil', 'burn']) {
    const { status, body } = await call('POST', '/v1/cases', { task, action: 'heat', outcome: 'warm', lesson: 'more' });
    expect([status < 300, body.detail]).toEqual([true, undefined]);
    cases.push(body.case.case_id);
  }
  expect((await call('DELETE', `/v1/cases/${cases[2]}`)).status).toBe(200);

  incident = await openIncident(call, tenant);
  await walk(call, incident, { kind: 'case', id: cases[1], apply: true });
  for (const docId of ['thylacine', 'replaced', 'gone'])
    await walk(call, incident, { kind: 'document', id: `handbook/${docId}`, apply: true });
  await walk(call, incident, { kind: 'fact', id: facts.get('aside')!, apply: true });
  await ingest(api.tenant, [{ docId: 'replaced', content: 'It was seen at noon.' }]);
  await withdraw(api.tenant, 'gone');
  await walk(call, incident, { kind: 'document', id: 'handbook/returned', apply: true });
  await walk(call, incident, { undo: true });

  const approver = await anotherKey(api, api.tenant);
  await mark(api.tenant);
  const ask = () => expectStatus(403, api.tenant.call('POST', '/v1/ingest', document(api.tenant)));
  await approved(api.tenant, approver, document(api.tenant));
  const { approvalRequestId } = (await ask()).body;
  await expectStatus(200, resolve(approver, approvalRequestId, { decision: 'reject' }));
  await ask();
  await api.app.get(LogSequencer).integrate();
  root = new Client({ connectionString: api.database.superuserUrl });
  await root.connect();
}, 240_000);
afterAll(async () => {
  await root.end();
  await daemon.close();
  await api.close();
});

const faults = async (): Promise<readonly string[]> =>
  (await api.app.get(EvidenceAudit).verifyChain(SUBJECT_CHECKS)).faults;
const asInsider = (sql: string) => root.query(`begin; set local session_replication_role = replica; ${sql}; commit`);

/** Columns that are not made of others. */
async function columnsOf(table: string): Promise<string> {
  const { rows } = await root.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  return rows[0]!.columns;
}

async function attack({ tables, sql, said }: Attack): Promise<void> {
  for (const table of tables) await root.query(`create table kept_${table} as select * from ${table}`);
  await asInsider(sql);
  const found = await faults();
  for (const table of tables) {
    const columns = await columnsOf(table);
    await asInsider(
      `delete from ${table}; insert into ${table} (${columns}) overriding system value select ${columns} from kept_${table}`,
    );
    await root.query(`drop table kept_${table}`);
  }
  expect(found).toContainEqual(expect.stringMatching(said));
}

const factOf = (key: string) => `entity = 'notes' and key = '${key}'`;
const headOf = (key: string) => `chain in (select chain from fact where ${factOf(key)})`;
/** Copies a row with some members changed. */
const copied = (table: string, where: string, changed: string) =>
  `insert into ${table} overriding system value select (jsonb_populate_record(null::${table}, to_jsonb(o) || ${changed})).* from ${table} o where ${where}`;

it('finds nothing amiss where an incident did it', async () => {
  expect(await faults()).toEqual([]);
});

describe('what is set aside', () => {
  const aside = (docId: string) => `
    update document set quarantined_version = current_version where doc_id = '${docId}';
    update chunk set retired_at = now() where doc_id = '${docId}'`;
  const back = (docId: string, version: string) => `
    update document set quarantined_version = null, current_version = ${version}, deleted_at = null where doc_id = '${docId}';
    update chunk set retired_at = case when version = ${version} then null else now() end where doc_id = '${docId}'`;
  const attacks: Record<string, Attack> = {
    'a document, without an incident': {
      tables: ['document', 'chunk'],
      sql: aside('cassowary'),
      said: /document cassowary, version 1, .*: it is set aside, and no receipt says so$/,
    },
    'a document of a batch, without an incident': {
      tables: ['document', 'chunk'],
      sql: aside('bilby'),
      said: /document bilby, version 1, .*: it is set aside, and no receipt says so$/,
    },
    'a document again that was brought back': {
      tables: ['document', 'chunk'],
      sql: aside('returned'),
      said: /document returned, version 1, .*: it is set aside, and no receipt says so$/,
    },
    'the version that replaced one': {
      tables: ['document', 'chunk'],
      sql: aside('replaced'),
      said: /document replaced, version 2, .*: it is set aside, and no receipt says so$/,
    },
    'a document that is brought back without a receipt': {
      tables: ['document', 'chunk'],
      sql: back('thylacine', '1'),
      said: /document thylacine, version 1, .*: it is found, and a receipt says that an incident has set it aside$/,
    },
    'a document that was deleted meanwhile, brought back': {
      tables: ['document', 'chunk'],
      sql: back('gone', '1'),
      said: /document gone, version 1, .*: it is found, and a receipt says that an incident has set it aside$/,
    },
    'a fact, without an incident': {
      tables: ['fact', 'fact_head'],
      sql: `update fact set quarantined = true, deleted_at = '-infinity' where ${factOf('secret')};
        update fact_head set records = 0 where ${headOf('secret')}`,
      said: /^fact \S+ of tenant \S+: it is set aside, and no receipt says so$/,
    },
    'a fact that is brought back without a receipt': {
      tables: ['fact', 'fact_head'],
      sql: `update fact set quarantined = false, deleted_at = null where ${factOf('aside')};
        update fact_head set records = 1 where ${headOf('aside')}`,
      said: /^fact \S+ of tenant \S+: it is found, and a receipt says that an incident has set it aside$/,
    },
  };
  it.each(Object.entries(attacks))('%s', async (_name, one) => attack(one));

  it('a document by a release before, without an end: its receipt counts what its walk names', async () => {
    const [incidentId, radiusId] = [incident.split('/').at(-1)!, crypto.randomUUID()];
    const { tenantId } = api.tenant;
    await api.app.get(Tenancy).run(tenantId, () =>
      api.app.get(EvidenceService).record({
        ...{ kind: 'incident.quarantined', actor: 'sub:ada', authMode: 'dev_scopes', subject: incidentId },
        ...{ stream: `incidents/${incidentId}`, body: { radius_id: radiusId, set_aside: { document: 1 } } },
      }),
    );
    const named = (docId: string, position: number) => `
      insert into blast_radius_node (tenant_id, radius_id, position, kind, key, set_aside)
        values ('${tenantId}', '${radiusId}', ${position}, 'document', array['handbook', '${docId}'], true)`;
    await asInsider(`${aside('numbat')}; ${named('numbat', 1)};
      insert into blast_radius (tenant_id, radius_id, incident_id, root_kind, root_key, node_count, edge_count, counts, state_root, walked_by, applied_at)
        values ('${tenantId}', '${radiusId}', '${incidentId}', 'document', '{}', 1, 0, '{}', '', 'sub:ada', now())`);
    expect(await faults()).toEqual([]);
    await attack({
      tables: ['document', 'chunk', 'blast_radius_node'],
      sql: `${aside('bilby')}; ${named('bilby', 2)}`,
      said: /document bilby, version 1, .*: it is set aside, and no receipt says so$/,
    });
    expect(await faults()).toEqual([]);
  });
});

describe('facts', () => {
  const attacks: Record<string, Attack> = {
    'deleted at a time before all': {
      tables: ['fact'],
      sql: `update fact set deleted_at = '-infinity' where ${factOf('secret')}`,
      said: /^fact \S+ of tenant \S+ does not say what follows it$/,
    },
    'quarantined, and not deleted': {
      tables: ['fact'],
      sql: `update fact set quarantined = true where ${factOf('secret')}`,
      said: /^fact \S+ of tenant \S+ does not say what follows it$/,
    },
    'superseded by nothing': {
      tables: ['fact'],
      sql: `update fact set superseded_at = stored_at where ${factOf('secret')}`,
      said: /^fact \S+ of tenant \S+ does not say what follows it$/,
    },
    'ended before their time': {
      tables: ['fact'],
      sql: `update fact set ends_at = stored_at where ${factOf('secret')}`,
      said: /^fact \S+ of tenant \S+ does not say what follows it$/,
    },
    'without the head of their chain': {
      tables: ['fact_head'],
      sql: `delete from fact_head where ${headOf('secret')}`,
      said: /^fact \S+ of tenant \S+: the head of its chain is gone$/,
    },
    'that rest on another source': {
      tables: ['fact_source_ref'],
      sql: `update fact_source_ref set source_id = 'another'`,
      said: /^fact \S+ of tenant \S+: its sources are not those that its receipt binds$/,
    },
    'that rest on nothing': {
      tables: ['fact_source_ref'],
      sql: `delete from fact_source_ref`,
      said: /^fact \S+ of tenant \S+: its sources are not those that its receipt binds$/,
    },
  };
  it.each(Object.entries(attacks))('%s', async (_name, one) => attack(one));
});

describe('rows that name the receipt of another', () => {
  const attacks: Record<string, Attack> = {
    'an answer': {
      tables: ['answer'],
      sql: copied('answer', `answer_id = 'one'`, `'{"answer_id": "forged", "answer_text": "At night."}'`),
      said: /^answer forged\/1 of tenant \S+: its receipt \S+ does not speak of it$/,
    },
    'an event': {
      tables: ['stream_event'],
      sql: copied('stream_event', `stream_id = 's'`, `'{"seq": 1}'`),
      said: /^stream_event chat\/s\/1 of tenant \S+: its receipt \S+ does not speak of it$/,
    },
    'a document': {
      tables: ['document', 'document_version', 'ingest'],
      sql: [
        copied('document', `doc_id = 'cassowary'`, `'{"doc_id": "forged"}'`),
        copied('document_version', `doc_id = 'cassowary'`, `'{"doc_id": "forged"}'`),
        copied(
          'ingest',
          `doc_id = 'cassowary'`,
          `jsonb_build_object('doc_id', 'forged', 'ingest_id', gen_random_uuid())`,
        ),
      ].join('; '),
      said: /^document_version handbook\/forged\/1 of tenant \S+: its receipt \S+ does not speak of it$/,
    },
    'a document of a corpus with a slash in its name': {
      tables: ['document', 'document_version', 'ingest'],
      sql: ['document', 'document_version', 'ingest']
        .map((table) =>
          copied(
            table,
            `doc_id = 'cassowary'`,
            `jsonb_build_object('corpus_id', 'handbook/x', 'doc_id', 'y') ${table === 'ingest' ? `|| jsonb_build_object('ingest_id', gen_random_uuid())` : ''}`,
          ),
        )
        .join('; '),
      said: /^document_version handbook%2Fx\/y\/1 of tenant \S+: its receipt \S+ does not speak of it$/,
    },
    'a fact, with a batch under a receipt of another kind': {
      tables: ['fact', 'fact_head', 'fact_batch'],
      sql: `
        insert into fact (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, confidence, horizon_class, tokens,
          stored_at, written_by, receipt_id, leaf_index)
        select f.tenant_id, nextval('fact_seq'), '00000000-0000-4000-8000-00000000f0f0', svc_fact_chain('', 'forged', 'k'), 1, 0, '', 'forged', 'k', 'v', actor, confidence, horizon_class, tokens,
          stored_at, written_by, (select receipt_id from ingest where doc_id = 'cassowary'), 0 from fact f where ${factOf('secret')};
        insert into fact_batch (tenant_id, receipt_id, facts, leaves)
        select tenant_id, receipt_id, array[fact_id], sha256('x') from fact where entity = 'forged'`,
      said: /^fact 00000000-0000-4000-8000-00000000f0f0 of tenant \S+: no receipt speaks of it$/,
    },
    'a fact without any, in a tenant that has no others': {
      tables: ['fact'],
      sql: `
        insert into fact (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, confidence, horizon_class, tokens, stored_at)
        select 'other', nextval('fact_seq'), '00000000-0000-4000-8000-00000000f0f1', svc_fact_chain('', 'forged', 'k'), 1, 0, '', 'forged', 'k', 'v', actor, confidence, horizon_class, tokens,
          now() from fact f where ${factOf('secret')}`,
      said: /^fact 00000000-0000-4000-8000-00000000f0f1 of tenant other: no receipt speaks of it$/,
    },
  };
  it.each(Object.entries(attacks))('%s', async (_name, one) => attack(one));
});

describe('cases', () => {
  const attacks: Record<string, Attack> = {
    'set aside without an incident': {
      tables: ['memory_case'],
      sql: `update memory_case set quarantined = true where task = 'bake'`,
      said: /^case \S+ of tenant \S+, receipt \S+: it is set aside, and no receipt says so$/,
    },
    'brought back without a receipt': {
      tables: ['memory_case'],
      sql: `update memory_case set quarantined = false where task = 'boil'`,
      said: /^case \S+ of tenant \S+, receipt \S+: it is found, and a receipt says that an incident has set it aside$/,
    },
    'with another lesson': {
      tables: ['memory_case'],
      sql: `update memory_case set lesson = 'less' where task = 'bake'`,
      said: /^case \S+ of tenant \S+, receipt \S+: it is not what was recorded$/,
    },
    deleted: {
      tables: ['memory_case'],
      sql: `delete from memory_case where task = 'bake'`,
      said: /^case \S+ of tenant \S+, receipt \S+: its row is gone$/,
    },
    'under the receipt of another': {
      tables: ['memory_case'],
      sql: copied('memory_case', `task = 'bake'`, `jsonb_build_object('case_id', gen_random_uuid(), 'task', 'forged')`),
      said: /^memory_case \S+ of tenant \S+: its receipt \S+ does not speak of it$/,
    },
  };
  it.each(Object.entries(attacks))('%s', async (_name, one) => attack(one));
});

describe('what the shield goes by', () => {
  const given = (more = '') =>
    `state = 'approved', resolved_by = 'key:another', resolved_at = now(), resolution_reason = 'ok', token_hash = sha256('x') ${more}`;
  const attacks: Record<string, Attack> = {
    'an approval that nobody gave': {
      tables: ['shield_approval'],
      sql: `update shield_approval set ${given()} where state = 'pending'`,
      said: /^shield_approval \S+ of tenant \S+: no receipt speaks of it$/,
    },
    'an approval under the receipt of another': {
      tables: ['shield_approval'],
      sql: `update shield_approval set ${given(`, receipt_id = (select receipt_id from shield_approval where state = 'approved')`)} where state = 'pending'`,
      said: /^shield_approval \S+ of tenant \S+: its receipt \S+ does not speak of it$/,
    },
    'an approval that was refused': {
      tables: ['shield_approval'],
      sql: `update shield_approval set state = 'approved', token_hash = sha256('x') where state = 'rejected'`,
      said: /^approval \S+ of tenant \S+, receipt \S+: it is approved, and the receipt says otherwise$/,
    },
    'an approval of another call': {
      tables: ['shield_approval'],
      sql: `update shield_approval set arguments_digest = sha256('x') where state = 'approved'`,
      said: /^approval \S+ of tenant \S+, receipt \S+: what it opens is not what was decided on$/,
    },
    'an approval that stands on': {
      tables: ['shield_approval'],
      sql: `update shield_approval set expires_at = now() + interval '2 days' where state = 'approved'`,
      said: /^approval \S+ of tenant \S+, receipt \S+: it ends at another time than was decided on$/,
    },
    'a kill switch, lifted': {
      tables: ['shield_kill_switch'],
      sql: `update shield_kill_switch set lifted_at = now(), lifted_by = created_by`,
      said: /^kill switch \S+ of tenant \S+, receipt \S+: it is lifted, and no receipt says so$/,
    },
    'a kill switch that ends': {
      tables: ['shield_kill_switch'],
      sql: `update shield_kill_switch set expires_at = now()`,
      said: /^kill switch \S+ of tenant \S+, receipt \S+: what it stops, or until when, is not what was set$/,
    },
    'a kill switch, deleted': {
      tables: ['shield_kill_switch'],
      sql: `delete from shield_kill_switch`,
      said: /^kill switch \S+ of tenant \S+, receipt \S+: its row is gone$/,
    },
  };
  it.each(Object.entries(attacks))('%s', async (_name, one) => attack(one));
});

it('is whole again, and after an erasure of what is aside, which leaves the receipts that name it', async () => {
  expect(await faults()).toEqual([]);
  const named = async () =>
    (await root.query(`select receipt_id from receipt where stream = 'quarantine' order by seq`)).rows;
  const before = await named();
  expect(before).toHaveLength(7);
  const documents = [{ corpus_id: 'handbook', doc_id: 'thylacine' }];
  const { status } = await call('POST', '/v1/facts/erase', { documents, fact_ids: [facts.get('aside')] });
  expect(status).toBe(200);
  expect(await named()).toEqual(before);
  expect(await faults()).toEqual([]);
});
