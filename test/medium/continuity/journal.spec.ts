import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JournalService } from '../../../src/modules/continuity/sessions/journal/journal.service.js';
import type { JournalDraft } from '../../../src/modules/continuity/sessions/journal/journal.types.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { givenDocument, retrieve } from '../citations/given.js';
import { read, walk, write } from './given.js';

let api: TestApi;
let acme: TestTenant;
let other: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  other = await api.addTenant('other');
});
afterAll(() => api.close());

const SCHEMA = { type: 'schema_adopted', data: { name: 'trip-report', version: '2.1.0' } };
const ALERT = {
  type: 'watch_alert',
  data: {
    watchId: 'w1',
    targetType: 'document',
    targetId: 'handbook/leave',
    change: 'new_version',
    summary: 'Leave is 26 days now',
  },
};
const PROOF = { type: 'proof_completed', data: { jobId: 'j1', verdict: 'drifted', mode: 'verified' } };
const post = (agentId: string, event: object, tenant = acme) =>
  tenant.call('POST', `/v1/home/${agentId}/journal/events`, event);
const draft = (n: number): JournalDraft => ({
  type: 'watch_alert',
  subject: `w${n}`,
  data: { watchId: `w${n}`, targetType: 'query', targetId: 'leave', change: 'new_match' },
  source: 'watches',
  eventId: `watch:${n}`,
});

describe('posting an event', () => {
  it('answers the entry, and publishes it to the outbox', async () => {
    const { status, body } = await post('diarist', {
      ...SCHEMA,
      eventId: 'e-1',
      occurredAt: '2026-01-31T12:00:00+01:00',
    });
    const entry = {
      seq: 1,
      entryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      eventId: 'e-1',
      type: 'schema_adopted',
      subject: 'trip-report',
      data: SCHEMA.data,
      source: 'api',
      actor: `key:${acme.keyId}`,
      occurredAt: '2026-01-31T11:00:00.000Z',
      recordedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    };
    expect([status, body]).toEqual([201, { agentId: 'diarist', duplicate: false, entry }]);
    expect((await read(acme, 'diarist', 'journal')).body).toEqual({ entries: [body.entry], next_cursor: null });
    const events = await api.database.query(
      `select subject, data->'seq' as seq from outbox_event where kind = 'journal.event_recorded'`,
    );
    expect(events).toEqual([{ subject: body.entry.entryId, seq: 1 }]);
  });

  it('takes each of the three types, about what they are about', async () => {
    const entries = [];
    for (const event of [SCHEMA, ALERT, PROOF]) entries.push((await post('taker', event)).body.entry);
    expect(entries.map(({ seq, type, subject, data }) => [seq, type, subject, data])).toEqual([
      [1, 'schema_adopted', 'trip-report', SCHEMA.data],
      [2, 'watch_alert', 'w1', ALERT.data],
      [3, 'proof_completed', 'j1', PROOF.data],
    ]);
  });

  it('adds nothing for an event that is known, and refuses another under its name', async () => {
    const first = await post('repeater', { ...ALERT, eventId: 'same' });
    const again = await post('repeater', { ...ALERT, eventId: 'same' });
    expect([again.status, again.body]).toEqual([201, { ...first.body, duplicate: true }]);
    const differing = await post('repeater', { ...PROOF, eventId: 'same' });
    expect([differing.status, differing.body.type, differing.body.seq]).toEqual([409, 'JournalEventDiffers', 1]);
    expect((await post('another', { ...PROOF, eventId: 'same' })).body.duplicate).toBe(false);
    expect((await read(acme, 'repeater', 'journal')).body.entries).toHaveLength(1);
  });

  it('names the types it takes', async () => {
    for (const type of ['primitive_changed', 'agent_slept', 7, null]) {
      const { status, body } = await post('refused', { ...SCHEMA, type });
      expect([status, body.issues]).toEqual([
        400,
        [
          {
            path: 'body.type',
            message: expect.stringMatching(/watch_alert, proof_completed, schema_adopted/),
          },
        ],
      ]);
    }
  });

  const differently = (event: typeof SCHEMA | typeof ALERT | typeof PROOF, data: object) => ({
    ...event,
    data: { ...event.data, ...data },
  });
  it.each<[object, string]>([
    [{ type: 'schema_adopted' }, 'body.data'],
    [{ ...SCHEMA, data: [] }, 'body.data'],
    [{ ...SCHEMA, data: 'text' }, 'body.data'],
    [differently(SCHEMA, { name: undefined }), 'body.data.name'],
    [differently(SCHEMA, { version: 2 }), 'body.data.version'],
    [differently(SCHEMA, { digest: 'md5' }), 'body.data.digest'],
    [differently(SCHEMA, { watchId: 'w' }), 'body.data.watchId'],
    [differently(ALERT, { targetType: 'artefact' }), 'body.data.targetType'],
    [differently(ALERT, { change: 'New Version' }), 'body.data.change'],
    [differently(ALERT, { severity: 'grave' }), 'body.data.severity'],
    [differently(ALERT, { details: 'x' }), 'body.data.details'],
    [differently(PROOF, { verdict: 'pending' }), 'body.data.verdict'],
    [differently(PROOF, { jobId: undefined }), 'body.data.jobId'],
    [differently(PROOF, { subjectVersion: 0 }), 'body.data.subjectVersion'],
    [{ ...SCHEMA, eventId: '' }, 'body.eventId'],
    [{ ...SCHEMA, occurredAt: 'yesterday' }, 'body.occurredAt'],
    [{ ...SCHEMA, occurredAt: '9999-01-01T00:00:00Z' }, 'body.occurredAt'],
    [{ ...SCHEMA, seq: 1 }, 'body.seq'],
  ])('refuses %j, naming %s', async (event, path) => {
    const { status, body } = await post('refused', event);
    expect([status, body.type, [...new Set(body.issues.map((issue: any) => issue.path))]]).toEqual([
      400,
      'ValidationFailed',
      [path],
    ]);
    expect((await read(acme, 'refused', 'journal')).body.entries).toEqual([]);
  });
});

describe('the journal', () => {
  it('numbers parallel entries of many sources without a gap, though some are rolled back', async () => {
    const tenancy = api.app.get(Tenancy);
    const journal = api.app.get(JournalService, { strict: false });
    const appended = Array.from({ length: 20 }, (_, n) =>
      tenancy.run('acme', async () => {
        await journal.append('crowd', draft(n));
        if (n % 4 === 0) throw new Error('rolled back');
      }),
    );
    const posted = Array.from({ length: 10 }, () => post('crowd', SCHEMA));
    const written = Array.from({ length: 10 }, (_, n) => write(acme, 'crowd', { name: `g${n}` }));
    const settled = await Promise.allSettled([...appended, ...posted, ...written]);
    expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(5);
    const entries = await walk(acme, '/v1/home/crowd/journal?order=oldest', 'entries', 7);
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 35 }, (_, i) => i + 1));
    const times = entries.map(({ recordedAt }) => recordedAt as string);
    expect(times).toEqual([...times].sort());
    const newest = await walk(acme, '/v1/home/crowd/journal', 'entries', 10);
    expect(newest).toEqual([...entries].reverse());
  });

  it('takes an event of the product once, however often it is sent', async () => {
    const tenancy = api.app.get(Tenancy);
    const journal = api.app.get(JournalService, { strict: false });
    const appended = await Promise.all(
      Array.from({ length: 6 }, () => tenancy.run('acme', () => journal.append('repeated', draft(1)))),
    );
    expect(appended.map(({ duplicate }) => duplicate).sort()).toEqual([false, ...Array(5).fill(true)]);
    expect((await read(acme, 'repeated', 'journal')).body.entries).toHaveLength(1);
  });

  it('filters by type, subject and time', async () => {
    for (const event of [SCHEMA, ALERT, PROOF, SCHEMA]) await post('filtered', event);
    const { body } = await read(acme, 'filtered', 'journal?order=oldest');
    const found = async (query: string) =>
      (await read(acme, 'filtered', `journal?order=oldest&${query}`)).body.entries.map(({ seq }: any) => seq);
    expect(await found('type=schema_adopted')).toEqual([1, 4]);
    expect(await found('subject=w1')).toEqual([2]);
    const hour = (hours: number) =>
      encodeURIComponent(new Date(Date.parse(body.entries[0].recordedAt) + hours * 3_600_000).toISOString());
    expect(await found(`from=${hour(-1)}&to=${hour(1)}`)).toEqual([1, 2, 3, 4]);
    expect(await found(`from=${hour(1)}`)).toEqual([]);
    expect(await found(`to=${hour(-1)}`)).toEqual([]);
    const backwards = await read(acme, 'filtered', `journal?from=${hour(1)}&to=${hour(0)}`);
    expect([backwards.status, backwards.body.issues[0].path]).toEqual([400, 'query.to']);
    for (const [query, path] of [
      ['type=agent_slept', 'query.type'],
      ['order=random', 'query.order'],
      ['from=today', 'query.from'],
      [`cursor=${Buffer.from('[1.5]').toString('base64url')}`, 'query.cursor'],
      [`cursor=${Buffer.from('["1"]').toString('base64url')}`, 'query.cursor'],
    ]) {
      const answer = await read(acme, 'filtered', `journal?${query}`);
      expect([query, answer.status, answer.body.issues[0].path]).toEqual([query, 400, path]);
    }
    expect(await found('from=0001-01-01T00:00:00Z')).toEqual([1, 2, 3, 4]);
  });

  it('cannot be changed or cut by the roles that the product runs as', async () => {
    await post('permanent', SCHEMA);
    for (const role of ['svc_app', 'svc_operator'] as const) {
      const client = new Client(api.database.urlAs(role));
      await client.connect();
      await client.query(`set svc.tenant_id = 'acme'`);
      for (const table of ['journal_entry', 'primitive_version', 'primitive_pin']) {
        for (const statement of [
          `update ${table} set tenant_id = tenant_id`,
          `delete from ${table}`,
          `truncate ${table}`,
        ])
          await expect(client.query(statement), statement).rejects.toThrow(/permission denied/);
      }
      await client.end();
    }
  });

  it("is a tenant's own", async () => {
    await post('shared-name', SCHEMA);
    expect((await read(other, 'shared-name', 'journal')).body).toEqual({ entries: [], next_cursor: null });
    expect((await post('shared-name', ALERT, other)).body.entry.seq).toBe(1);
  });

  it('gets an entry for a proof, in the transaction that completes it', async () => {
    await givenDocument(acme, { text: 'Wombats dig at night.', docId: 'wombats' });
    await retrieve(acme, 'wombats', { agentId: 'prover' });
    const { body: job } = await acme.call('POST', '/v1/proof/jobs', { mode: 'light', agentId: 'prover' });
    let record = job;
    while (record.status === 'queued' || record.status === 'running') {
      record = (await acme.call('GET', `/v1/proof/jobs/${job.jobId}`)).body;
    }
    const { body } = await read(acme, 'prover', 'journal');
    expect(body.entries).toEqual([
      {
        seq: 1,
        entryId: expect.any(String),
        eventId: `proof:${job.jobId}`,
        type: 'proof_completed',
        subject: job.jobId,
        data: {
          jobId: job.jobId,
          verdict: 'holds',
          mode: 'light',
          subjectType: 'retrieval',
          subjectId: record.subject.id,
          receiptId: record.receiptId,
        },
        source: 'proofs',
        actor: null,
        occurredAt: expect.any(String),
        recordedAt: expect.any(String),
      },
    ]);
  });
});

describe('with FEATURE_CONTINUITY off', () => {
  it('primitives still work, the four other routes answer 412, and the journal is kept for later', async () => {
    const off = await startApi({ database: api.database, env: { FEATURE_CONTINUITY: '0' } });
    try {
      expect((await write(off.tenant, 'quiet')).status).toBe(201);
      expect((await read(off.tenant, 'quiet', 'primitives')).body.primitives).toHaveLength(1);
      const answers = [
        ...(await Promise.all(
          ['journal', 'stale-pins', 'session-context'].map((what) => read(off.tenant, 'quiet', what)),
        )),
        await off.tenant.call('POST', '/v1/home/quiet/journal/events', SCHEMA),
      ];
      expect(answers.map(({ status, body }) => [status, body.type, body.feature])).toEqual(
        Array(4).fill([412, 'FeatureDisabled', expect.any(String)]),
      );
      const rows = await api.database.query(`select type from journal_entry where tenant_id = $1`, [
        off.tenant.tenantId,
      ]);
      expect(rows).toEqual([{ type: 'primitive_changed' }]);
    } finally {
      await off.close();
    }
  });
});
