import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvaluationService } from '../../../src/modules/continuity/watches/evaluation/evaluation.service.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { follow, startReceiver, type Receiver } from '../outbox/given.js';
import { alertsOf, changesOf, cite, given, passage, sections, watch } from './given.js';

let api: TestApi;
let acme: TestTenant;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  api = await startApi();
  acme = api.tenant;
});
afterAll(async () => {
  await api.close();
  await receiver.close();
});

const soon = { timeout: 15_000 };

/** Waits until everything that has happened was looked at: a change of this document comes after it. */
async function allLookedAt(): Promise<void> {
  const docId = `beacon-${crypto.randomUUID()}`;
  await given(acme, docId, 'A beacon.');
  const beacon = await watch(acme, { targetType: 'document', targetId: `handbook/${docId}`, agentId: 'beacon' });
  await given(acme, docId, 'Another beacon.');
  await expect.poll(() => changesOf(acme, beacon), soon).toEqual(['new_version']);
}

describe('a watched document', () => {
  it('raises one alert a version and one when it is deleted, reported in the list, the journal, the events and its webhook', async () => {
    await given(acme, 'leave', sections('Leave is 28 days.', 'Ask your manager.'));
    await given(acme, 'other', 'Nothing to see.');
    const made = await watch(acme, {
      targetType: 'document',
      targetId: 'handbook/leave',
      agentId: 'clerk',
      note: 'for the handbook',
      webhookUrl: `${receiver.url}/leave`,
    });
    expect(made).toEqual({
      watchId: made.watchId,
      agentId: 'clerk',
      targetType: 'document',
      targetId: 'handbook/leave',
      query: null,
      note: 'for the handbook',
      active: true,
      alertCount: 0,
      createdBy: expect.stringMatching(/^key:/),
      createdAt: expect.any(String),
      endedAt: null,
      webhook: { webhookId: expect.any(String), secret: expect.stringMatching(/^whsec_/) },
    });
    await given(acme, 'other', 'Still nothing to see.');
    await given(acme, 'leave', sections('Leave is 30 days.', 'Ask your manager.'));
    await expect.poll(() => changesOf(acme, made), soon).toEqual(['new_version']);
    const [first] = await alertsOf(acme, made);
    expect(first).toEqual({
      alertId: expect.any(String),
      watchId: made.watchId,
      change: 'new_version',
      state: null,
      corpusId: 'handbook',
      docId: 'leave',
      from: 1,
      to: 2,
      passages: [
        {
          chunkId: await passage(acme, 'leave 30'),
          contentHash: expect.stringMatching(/^blake3:[0-9a-f]{64}$/),
          corpusId: 'handbook',
          docId: 'leave',
          version: 2,
        },
      ],
      passageCount: 1,
      proofJobId: null,
      verdict: null,
      occurredAt: expect.any(String),
    });
    expect((await acme.call('DELETE', '/v1/documents/handbook/leave')).status).toBe(200);
    await expect.poll(() => changesOf(acme, made), soon).toEqual(['new_version', 'deleted']);

    await expect
      .poll(
        () =>
          receiver
            .at('/leave')
            .map(({ event }) => event.data.change)
            .sort(),
        soon,
      )
      .toEqual(['deleted', 'new_version']);
    for (const { body, headers, event } of receiver.at('/leave')) {
      expect(new Webhook(made.webhook.secret).verify(body, headers as Record<string, string>)).toEqual(event);
      expect(event).toMatchObject({ type: 'watch.alert', subject: made.watchId, data: { note: 'for the handbook' } });
    }
    const { events } = await follow(acme, undefined, `&kind=watch.alert&subject=${made.watchId}`);
    expect(events.map(({ data }) => data.alertId)).toEqual((await alertsOf(acme, made)).map(({ alertId }) => alertId));
    const journal = await acme.call('GET', '/v1/home/clerk/journal');
    expect([journal.status, JSON.stringify(journal.body).split('"watch_alert"').length - 1]).toEqual([200, 2]);
  });

  it('that is sent again unchanged, or changed before it was watched, raises none', async () => {
    await given(acme, 'steady', 'Version one.');
    await given(acme, 'steady', 'Version two.');
    const made = await watch(acme, { targetType: 'artefact', targetId: 'handbook/steady' });
    expect(made.targetType).toBe('artifact');
    await given(acme, 'steady', 'Version two.');
    await allLookedAt();
    expect(await alertsOf(acme, made)).toEqual([]);
  });
});

describe('a watched answer', () => {
  it('raises an alert when a cited passage is not in the new version, and none while it stands', async () => {
    await given(acme, 'pay', sections('Salaries come on the 25th.', 'Bonuses come in spring.'));
    const [salaries, bonuses] = [await passage(acme, 'salaries'), await passage(acme, 'bonuses')];
    await cite(acme, 'pay-answer', [salaries]);
    const [answer, chunk, document] = [
      await watch(acme, { targetType: 'answer', targetId: 'pay-answer' }),
      await watch(acme, { targetType: 'artifact', targetId: bonuses }),
      await watch(acme, { targetType: 'document', targetId: 'handbook/pay' }),
    ];
    await given(acme, 'pay', sections('Salaries come on the 25th.', 'Bonuses come in autumn.'));
    await expect.poll(() => changesOf(acme, chunk), soon).toEqual(['drifted']);
    await expect.poll(() => changesOf(acme, document), soon).toEqual(['new_version']);
    expect(await alertsOf(acme, answer)).toEqual([]);
    const [drift] = await alertsOf(acme, chunk);
    expect(drift).toMatchObject({ from: 1, to: 2, passageCount: 1, passages: [{ chunkId: bonuses, version: 1 }] });

    await given(acme, 'pay', sections('Salaries come on the 26th.', 'Bonuses come in autumn.'));
    await expect.poll(() => changesOf(acme, answer), soon).toEqual(['drifted']);
    await given(acme, 'pay', sections('Salaries come on the 27th.', 'Bonuses come in autumn.'));
    await expect.poll(() => changesOf(acme, document), soon).toHaveLength(3);
    expect([await changesOf(acme, answer), await changesOf(acme, chunk)]).toEqual([['drifted'], ['drifted']]);

    await cite(acme, 'pay-answer', [await passage(acme, 'salaries')]);
    await expect.poll(() => changesOf(acme, answer), soon).toEqual(['drifted', 'new_version']);
    expect((await acme.call('DELETE', '/v1/documents/handbook/pay')).status).toBe(200);
    await expect.poll(() => changesOf(acme, answer), soon).toEqual(['drifted', 'new_version', 'deleted']);
  });

  it('raises an alert for each version, also where the next one is there before the first is looked at', async () => {
    await given(acme, 'shift', 'Shifts begin at six.');
    const shifts = await passage(acme, 'shifts');
    await cite(acme, 'shift-answer', [shifts]);
    const made = await watch(acme, { targetType: 'answer', targetId: 'shift-answer' });
    await cite(acme, 'shift-answer', [shifts]);
    await cite(acme, 'shift-answer', [shifts]);
    await allLookedAt();
    const of = 'watch_id = $1';
    await api.database.query(`delete from watch_alert where ${of}`, [made.watchId]);
    await api.database.query(`update watch set target_version = 1, created_snapshot = null where ${of}`, [
      made.watchId,
    ]);
    const recorded = await api.database.query<{ event_id: string }>(
      `select event_id from outbox_event where kind = 'answer.recorded' and subject = 'shift-answer' order by transaction, position`,
    );
    for (const { event_id } of recorded.slice(1))
      await api.app.get(EvaluationService).evaluate({ tenantId: 'acme', events: [['acme', event_id]] });
    expect((await alertsOf(acme, made)).map(({ from, to }) => [from, to])).toEqual([
      [1, 2],
      [2, 3],
    ]);
  });

  it('raises an alert when a proof of it does not hold', async () => {
    await given(acme, 'tea', 'Tea is at four.');
    await cite(acme, 'tea-answer', [await passage(acme, 'tea')]);
    await given(acme, 'tea', 'Tea is at five.');
    const made = await watch(acme, { targetType: 'answer', targetId: 'tea-answer' });
    const job = await acme.call('POST', '/v1/proof/jobs', { mode: 'light', answerId: 'tea-answer' });
    await expect
      .poll(() => alertsOf(acme, made), soon)
      .toMatchObject([{ change: 'drifted', state: 'drifted', verdict: 'drifted', proofJobId: job.body.jobId }]);
  });

  it('says that a proof is broken, and nothing of sources that hold', async () => {
    await given(acme, 'cake', 'Cake is at five.');
    const unsaid = { quote: 'at five', answerText: 'Cake is at noon.' };
    await cite(acme, 'cake-answer', [await passage(acme, 'cake')], unsaid);
    const made = await watch(acme, { targetType: 'answer', targetId: 'cake-answer' });
    await acme.call('POST', '/v1/proof/jobs', { mode: 'light', answerId: 'cake-answer' });
    await expect.poll(() => alertsOf(acme, made), soon).toMatchObject([{ state: null, verdict: 'broken' }]);
  });
});

describe('a watched query', () => {
  it('reports each passage that newly answers it, once, and nothing else', async () => {
    await given(acme, 'wombat-1', 'Wombats dig burrows.', { corpusId: 'zoo' });
    const query = { query: 'wombat burrows', corpusIds: ['zoo'] };
    const made = await watch(acme, { targetType: 'query', query });
    const choosy = await watch(acme, { targetType: 'query', query: { ...query, minScore: 1000 } });
    await given(acme, 'heron', 'Herons wade.', { corpusId: 'zoo' });
    await given(acme, 'wombat-elsewhere', 'Wombats dig burrows elsewhere.', { corpusId: 'wild' });
    await given(acme, 'wombat-1', 'Wombats dig burrows.', { corpusId: 'zoo', title: 'Another title' });
    await given(acme, 'wombat-2', 'Wombats sleep in burrows.', { corpusId: 'zoo' });
    await expect
      .poll(() => alertsOf(acme, made), soon)
      .toMatchObject([
        {
          change: 'new_match',
          corpusId: 'zoo',
          docId: 'wombat-2',
          passages: [{ docId: 'wombat-2', score: expect.any(Number), title: 'About wombat-2' }],
          passageCount: 1,
        },
      ]);
    expect((await acme.call('DELETE', '/v1/documents/zoo/wombat-2')).status).toBe(200);
    await given(acme, 'wombat-2', 'Wombats sleep in burrows.', { corpusId: 'zoo' });
    await allLookedAt();
    expect([await changesOf(acme, made), await changesOf(acme, choosy)]).toEqual([['new_match'], []]);
  });
});

describe('a watch on what another tenant shares', () => {
  it('reports its versions while it is shared, and then its removal, without saying whose it was', async () => {
    const publisher = await api.addTenant('publisher');
    const reader = await api.addTenant('reader');
    const shared = { corpusId: 'open', shareability: 'public_safe' };
    await given(publisher, 'news', sections('The bridge opens in May.', 'Ferries run hourly.'), shared);
    const document = await watch(reader, { targetType: 'document', targetId: 'open/news' });
    const query = await watch(reader, { targetType: 'query', query: { query: 'bridge' } });
    const own = await watch(reader, { targetType: 'query', query: { query: 'bridge', includeCommons: false } });
    await given(publisher, 'news', sections('The bridge opens in June.', 'Ferries run hourly.'), shared);
    await expect.poll(() => changesOf(reader, document), soon).toEqual(['new_version']);
    await expect.poll(() => changesOf(reader, query), soon).toEqual(['new_match']);
    await given(publisher, 'news', 'The secret bridge opens in July.', {
      corpusId: 'open',
      shareability: 'owner_only',
    });
    await expect.poll(() => changesOf(reader, document), soon).toEqual(['new_version', 'deleted']);
    expect((await alertsOf(reader, document))[1]).toMatchObject({ from: 2, to: null, passages: [] });
    const reported = JSON.stringify([
      await alertsOf(reader, document),
      await alertsOf(reader, query),
      (await follow(reader)).events,
    ]);
    expect([await changesOf(reader, query), await changesOf(reader, own), reported.includes('publisher')]).toEqual([
      ['new_match'],
      [],
      false,
    ]);
  });
});

describe('a look at watches', () => {
  it('that is done again, twice at once, raises nothing twice', async () => {
    await given(acme, 'again', 'First.');
    const made = [
      await watch(acme, { targetType: 'document', targetId: 'handbook/again' }),
      await watch(acme, { targetType: 'query', query: { query: 'second', corpusIds: ['handbook'] } }),
    ];
    await given(acme, 'again', 'Second.');
    for (const one of made) await expect.poll(async () => (await alertsOf(acme, one)).length, soon).toBe(1);
    const events = await api.database.query<{ event_id: string }>(
      `select event_id from outbox_event where kind like 'document.%' and tenant_id = 'acme' order by transaction, position`,
    );
    const task = { tenantId: 'acme', events: events.map(({ event_id }): [string, string] => ['acme', event_id]) };
    const evaluation = api.app.get(EvaluationService);
    await api.database.query(
      `update watch set target_version = 1, created_snapshot = null where target_id = 'handbook/again'`,
    );
    await api.database.query(`update watch_source set version = 1 where doc_id = 'again'`);
    const before = await api.database.query('select watch_id, event_id from watch_alert order by position');
    await Promise.all([evaluation.evaluate(task), evaluation.evaluate(task)]);
    expect(await api.database.query('select watch_id, event_id from watch_alert order by position')).toEqual(before);
  });
});
