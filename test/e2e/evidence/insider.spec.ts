import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { blake3 } from '../../../src/evidence/digest.js';
import { SUBJECT_CHECKS } from '../../../src/modules/operations/readiness/subject-checks.js';
import { send, startApi, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { ingest, retrieve, withdraw } from '../../medium/retrieval/given.js';
import { SvcCommand } from '../tenants/given.js';

/** What somebody with SQL alone, as superuser and with triggers off, changes in a running product. */
interface Attack {
  /** The rows it changes, by table: they are kept, and put back after all. */
  readonly rows: Record<string, string>;
  readonly sql: string;
  /** What readiness names: the check, and the receipt or leaf where it is known before. */
  readonly named: () => Promise<string>;
  /** What `svc doctor --full` says. */
  readonly said: RegExp;
}

let api: TestApi;
let daemon: TestDaemon;
let svc: SvcCommand;
let root: Client;

beforeAll(async () => {
  api = await startApi();
  svc = new SvcCommand(api.database);
  await ingest(api.tenant, [
    { docId: 'wombat', content: 'Wombat droppings are cubes. Nobody knows why.' },
    { docId: 'emu', content: 'Emus cannot walk backwards. They run fast.' },
  ]);
  for (const pair of [
    ['bilby', 'numbat'],
    ['quoll', 'potoroo'],
    ['dunnart', 'bettong'],
  ])
    await ingest(
      api.tenant,
      pair.map((docId) => ({ docId, content: `The ${docId} sleeps by day.` })),
    );
  for (const content of ['Echidnas lay eggs.', 'Echidnas lay one egg.'])
    await ingest(api.tenant, [{ docId: 'echidna', content }]);
  await ingest(api.tenant, [{ docId: 'platypus', content: 'The platypus has a bill.' }]);
  await ingest(api.tenant, [{ docId: 'koala', content: 'Koalas sleep all day.' }]);
  await withdraw(api.tenant, 'koala');
  const { results } = await retrieve(api.tenant, 'wombat droppings', { lane: 'audit', includeCommons: false });
  for (const answerId of ['one', 'two']) {
    const answer = { agentId: 'a', answerId, idempotencyKey: `the-answer-${answerId}`, answerText: 'They are cubes.' };
    const citations = [{ chunkId: results[0].chunkId }];
    const headers = { 'x-idempotency-key': '' };
    const recorded = await api.tenant.call('POST', '/v1/citations', { ...answer, citations }, headers);
    expect([recorded.status, recorded.body.errors]).toEqual([201, undefined]);
  }
  daemon = await startDaemon({ database: api.database });
  const call = daemon.as({ scopes: 'admin:write facts:write query:read', tenant: api.tenant.tenantId });
  const tenant_id = api.tenant.tenantId;
  for (const stream_id of ['whole', 'tail', 'tail', 'tail', 'payload'])
    expect(
      (
        await call('POST', '/v1/append', {
          tenant_id,
          stream_type: 'chat',
          stream_id,
          events: [{ type: 'said', payload: { n: 1 } }],
        })
      ).status,
    ).toBe(200);
  for (const doc_id of ['a', 'b']) {
    const document = { doc_id, title: doc_id, text: `Quokkas smile at ${doc_id}.` };
    const taken = await call('POST', '/v1/local/ingest', { tenant_id, corpus_id: 'local', documents: [document] });
    expect(taken.status).toBeLessThan(300);
  }
  await api.app.get(LogSequencer).integrate();
  root = new Client({ connectionString: api.database.superuserUrl });
  await root.connect();
}, 240_000);
afterAll(async () => {
  await root.end();
  await daemon.close();
  await api.close();
  svc.remove();
});

const one = async (sql: string): Promise<string> => (await root.query<{ it: string }>(sql)).rows[0]!.it;
const acceptanceOf = (docId: string) => () =>
  one(`select 'documents ' || receipt_id as it from ingest where doc_id = '${docId}'`);
const completionOf = (docId: string, version: number) => () =>
  one(`select 'documents ' || completed_id as it from ingest where doc_id = '${docId}' and version = ${version}`);
const answerOf = (id: string) => () =>
  one(`select 'answers ' || receipt_id as it from answer where answer_id = '${id}'`);
const leafOf = (table: string, record: string, where: string) => async () => {
  const { rows } = await root.query<{ record: Buffer }>(`select ${record} as record from ${table} where ${where}`);
  const digests = rows.map((row) => Buffer.from(blake3(row.record)).toString('hex'));
  return one(
    `select 'leaves ' || min(leaf_index) as it from log_leaf where encode(record_digest, 'hex') in (${digests.map((hex) => `'${hex}'`).join()})`,
  );
};
const flip = (column: string) => `${column} = set_byte(${column}, 3, get_byte(${column}, 3) # 1)`;
const DOCUMENT_TABLES = ['chunk', 'ingest', 'document_version', 'document'];
const OF_DUNNART = `receipt_id = (select receipt_id from ingest where doc_id = 'dunnart')`;
const text = 'Emus fly to the moon and back.';

const ATTACKS: Record<string, Attack> = {
  'who may see a document of a batch': {
    rows: { document_version: `doc_id = 'bilby'` },
    sql: `update document_version set shareability = 'public_safe' where doc_id = 'bilby'`,
    named: acceptanceOf('bilby'),
    said: /document bilby, version 1, of corpus handbook .*or who may see it, is not what was accepted/,
  },
  'a document of a batch deleted with all its rows': {
    rows: Object.fromEntries(DOCUMENT_TABLES.map((table) => [table, `doc_id = 'quoll'`])),
    sql: DOCUMENT_TABLES.map((table) => `delete from ${table} where doc_id = 'quoll'`).join('; '),
    named: acceptanceOf('quoll'),
    said: /ingest [0-9a-f-]{36} of tenant .*: its row is gone/,
  },
  'the leaves of a batch': {
    rows: { ingest_batch: OF_DUNNART },
    sql: `update ingest_batch set ${flip('leaves')} where ${OF_DUNNART}`,
    named: acceptanceOf('dunnart'),
    said: /batch .* of ingests of tenant .*: its leaves do not make the root/,
  },
  'text and hash of a passage that was never cited': {
    rows: { chunk: `doc_id = 'emu'` },
    sql: `update chunk set content = '${text}', content_hash = '\\x${Buffer.from(blake3(text)).toString('hex')}' where doc_id = 'emu'`,
    named: acceptanceOf('emu'),
    said: /document emu, version 1, of corpus handbook .*does not stand in the text/,
  },
  'a document taken out of search as if it was withdrawn': {
    rows: { document: `doc_id = 'platypus'`, chunk: `doc_id = 'platypus'` },
    sql: `update document set current_version = null, deleted_at = now(), withdrawn_version = latest_version, latest_digest = null where doc_id = 'platypus';
      update chunk set retired_at = now() where doc_id = 'platypus'`,
    named: completionOf('platypus', 1),
    said: /document platypus, version 1, .*is not in search, and no receipt says that it was withdrawn/,
  },
  'a document set back to an earlier version': {
    rows: { document: `doc_id = 'echidna'`, chunk: `doc_id = 'echidna'` },
    sql: `update document set current_version = 1 where doc_id = 'echidna';
      update chunk set retired_at = case when version = 2 then now() end where doc_id = 'echidna'`,
    named: completionOf('echidna', 2),
    said: /document echidna, version 2, .*its document is at version 1, which is older/,
  },
  'text of a passage that was cited': {
    rows: { chunk: `doc_id = 'wombat'` },
    sql: `update chunk set content = 'Wombat droppings are round.' where doc_id = 'wombat'`,
    named: acceptanceOf('wombat'),
    said: /document wombat, version 1, .*is not the text of its digest/,
  },
  'text of an answer': {
    rows: { answer: `answer_id = 'one'` },
    sql: `update answer set answer_text = 'They are round.' where answer_id = 'one'`,
    named: answerOf('one'),
    said: /answer of receipt .*its text or citations are not those that the receipt attests/,
  },
  'an answer deleted with its citations': {
    rows: { answer: `answer_id = 'two'`, citation: `answer_id = 'two'` },
    sql: `delete from citation where answer_id = 'two'; delete from answer where answer_id = 'two'`,
    named: answerOf('two'),
    said: /answer of receipt .*its row is gone/,
  },
  'a whole stream: receipts, heads, events': {
    rows: {
      receipt: `stream = 'stream:chat/whole'`,
      receipt_head: `stream = 'stream:chat/whole'`,
      stream_event: `stream_id = 'whole'`,
      stream_head: `stream_id = 'whole'`,
    },
    sql: `delete from receipt where stream = 'stream:chat/whole'; delete from receipt_head where stream = 'stream:chat/whole';
      delete from stream_event where stream_id = 'whole'; delete from stream_head where stream_id = 'whole'`,
    named: leafOf('receipt', 'cose', `stream = 'stream:chat/whole'`),
    said: /leaf \d+ of the log \(execution, blake3:[0-9a-f]{64}\): its record is gone/,
  },
  'the last two receipts of a chain, and its head moved back': {
    rows: { receipt: `stream = 'stream:chat/tail'`, receipt_head: `stream = 'stream:chat/tail'` },
    sql: `delete from receipt where stream = 'stream:chat/tail' and seq > 1;
      update receipt_head h set seq = 1, payload_hash = r.payload_hash from receipt r where r.stream = h.stream and h.stream = 'stream:chat/tail'`,
    named: leafOf('receipt', 'cose', `stream = 'stream:chat/tail' and seq = 2`),
    said: /stream_event chat\/tail\/2 of tenant .*: no receipt speaks of it/,
  },
  'all retrieval receipts of a tenant': {
    rows: { retrieval_receipt: 'true' },
    sql: 'delete from retrieval_receipt',
    named: leafOf('retrieval_receipt', 'record', 'true'),
    said: /leaf \d+ of the log \(retrieval, blake3:[0-9a-f]{64}\): its record is gone/,
  },
  'the row of the last sealed segment': {
    rows: { sealed_segment: 'segment_seq = 2' },
    sql: 'delete from sealed_segment where segment_seq = 2',
    named: () => one(`select 'segments ' || receipt_id as it from sealed_segment where segment_seq = 2`),
    said: /segment 2 of tenant .*is gone/,
  },
  'payload and digest of an event': {
    rows: { stream_event: `stream_id = 'payload'` },
    sql: `update stream_event set ${flip('payload')}, ${flip('digest')} where stream_id = 'payload'`,
    named: () => one(`select 'events ' || receipt_id as it from stream_event where stream_id = 'payload'`),
    said: /stream chat\/payload of tenant .*event 0 is not what its digest was made of/,
  },
  'a bit of a receipt': {
    rows: { receipt: `kind = 'stream.appended' and stream = 'stream:chat/payload'` },
    sql: `update receipt set cose = set_byte(cose, length(cose) - 1, get_byte(cose, length(cose) - 1) # 1)
      where stream = 'stream:chat/payload'`,
    named: () => one(`select 'receipts ' || receipt_id as it from receipt where stream = 'stream:chat/payload'`),
    said: /receipt .*: the signature does not hold/,
  },
};

const asInsider = async (sql: string) => {
  await root.query(`begin; set local session_replication_role = replica; ${sql}; commit`);
};
const undos: string[] = [];

async function attack({ rows, sql }: Attack, index: number): Promise<void> {
  for (const [table, where] of Object.entries(rows)) {
    const kept = `kept_${index}_${table}`;
    await root.query(`create table ${kept} as select * from ${table} where ${where}`);
    const { rows: key } = await root.query<{ columns: string }>(
      `select string_agg(quote_ident(a.attname), ', ') as columns from pg_index i
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey) where i.indrelid = $1::regclass and i.indisprimary`,
      [table],
    );
    const columns = key[0]!.columns;
    undos.push(
      `delete from ${table} where (${columns}) in (select ${columns} from ${kept}); insert into ${table} select * from ${kept}; drop table ${kept}`,
    );
  }
  await asInsider(sql);
}

const gate = async (): Promise<{ ok: boolean; detail: string }> => {
  const { checks } = (await send(daemon.url, 'GET', '/readyz')).body;
  return checks.find(({ gate: name }: { gate: string }) => name === 'control_evidence_ok');
};

it(
  'a server that nobody changed is ready, and says that it has looked at everything',
  { timeout: 60_000 },
  async () => {
    const whole = /hold.*; the last whole look at the evidence ended 20.*Z and found nothing$/;
    await expect
      .poll(gate, { timeout: 40_000, interval: 500 })
      .toMatchObject({ ok: true, detail: expect.stringMatching(whole) });
    expect((await send(daemon.url, 'GET', '/metrics')).text).toMatch(/^svc_evidence_look_ended_seconds 1\d{9}\.\d+$/m);
  },
);

it(
  'readiness names within a minute whatever was changed or deleted, and svc doctor all of it',
  { timeout: 180_000 },
  async () => {
    const expected = new Map<string, string>();
    for (const [name, one] of Object.entries(ATTACKS)) expected.set(name, await one.named());
    for (const [index, one] of Object.values(ATTACKS).entries()) await attack(one, index);
    const missed = async () => {
      const { detail } = await gate();
      return [...expected].filter(([, named]) => !detail.includes(named));
    };
    await expect.poll(missed, { timeout: 60_000, interval: 500 }).toEqual([]);
    expect((await gate()).detail).not.toContain(api.tenant.tenantId);

    const { code, stdout } = await svc.run('doctor', '--full', '--json');
    const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; detail: string }[] };
    const { ok, detail } = checks.find(({ name }) => name === 'receipt_chain')!;
    expect([code, ok]).toEqual([1, false]);
    for (const [name, { said }] of Object.entries(ATTACKS))
      expect([name, detail]).toEqual([name, expect.stringMatching(said)]);
    expect((await send(daemon.url, 'GET', '/metrics')).text).toMatch(/^svc_evidence_findings\{check="leaves"\} \d+$/m);
  },
);

it('the server is ready again once all is as it was', { timeout: 120_000 }, async () => {
  for (const undo of undos.splice(0).reverse()) await asInsider(undo);
  expect((await api.app.get(EvidenceAudit).verifyChain(SUBJECT_CHECKS)).faults).toEqual([]);
  await expect.poll(gate, { timeout: 90_000, interval: 500 }).toMatchObject({ ok: true });
});

it('readiness names records that are kept from the log', { timeout: 120_000 }, async () => {
  await root.query(`create function drop_it() returns trigger language plpgsql as 'begin return null; end';
    create trigger drop_it before insert on log_pending for each row execute function drop_it()`);
  await ingest(api.tenant, [{ docId: 'dingo', content: 'Dingoes howl.' }]);
  const { rows } = await root.query<{ receipt_id: string }>(
    `select receipt_id from receipt where receipt_id in (select receipt_id from ingest where doc_id = 'dingo')`,
  );
  const named = expect.stringContaining(`receipts ${rows[0]!.receipt_id}`);
  await expect.poll(gate, { timeout: 60_000, interval: 500 }).toMatchObject({ ok: false, detail: named });
  await root.query('drop trigger drop_it on log_pending; drop function drop_it()');
  // A record that has a leaf gets no other.
  const all = await root.query<{ cose: Buffer }>(`select cose from receipt where kind like 'ingest.%'`);
  for (const { cose } of all.rows)
    await root.query(`insert into log_pending (record_type, record_digest) values ('execution', $1)`, [
      Buffer.from(blake3(cose)),
    ]);
  await expect.poll(gate, { timeout: 90_000, interval: 500 }).toMatchObject({ ok: true });
});
