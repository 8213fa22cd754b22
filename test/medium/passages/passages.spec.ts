import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { passage as bestFor, given, sections } from '../watches/given.js';

let api: TestApi;
let reader: TestTenant;
let publisher: TestTenant;
beforeAll(async () => {
  api = await startApi();
  reader = api.tenant;
  publisher = await api.addTenant('publisher');
});
afterAll(() => api.close());

const read = (chunkId: string, query = '', tenant = reader) =>
  tenant.call('GET', `/v1/passages/${encodeURIComponent(chunkId)}${query}`);
const starts = (texts: { content: string }[]): string[] =>
  texts.map(({ content }) => /^# \S+ \d+\s+(\S+)/.exec(content)![1]!);

describe('a passage', () => {
  it('is read with those around it, in document order', async () => {
    const names = ['Shops', 'Banks', 'Parks', 'Clubs', 'Farms'];
    await given(reader, 'five', sections(...names.map((name) => `${name} close at nine.`)));
    const chunkId = await bestFor(reader, 'parks');
    const { status, body } = await read(chunkId, '?around=1');
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        ...{ chunkId, corpusId: 'handbook', docId: 'five', title: 'About five', url: 'https://example.com/five' },
        ...{ source: 'tenant', version: 1, newestVersion: 1, current: true, position: 2, headingPath: ['Part 3'] },
        replacedBy: null,
      }),
    ]);
    expect(body.end - body.start).toBe(body.content.length);
    expect([starts(body.before), starts([body]), starts(body.after)]).toEqual([['Banks'], ['Parks'], ['Clubs']]);
    expect(Object.keys(body.before[0])).toEqual(['chunkId', 'content']);
    const wide = (await read(chunkId, '?around=5')).body;
    expect([starts(wide.before), starts(wide.after)]).toEqual([
      ['Shops', 'Banks'],
      ['Clubs', 'Farms'],
    ]);
    const alone = (await read(chunkId)).body;
    expect([alone.before, alone.after]).toEqual([[], []]);
  });

  it('that was replaced is read in its version, with what stands in its place', async () => {
    await given(reader, 'rules', sections('Gates close at nine.', 'Dogs stay outside.', 'Bikes go left.'));
    const [gates, dogs, bikes] = [
      await bestFor(reader, 'gates close'),
      await bestFor(reader, 'dogs stay'),
      await bestFor(reader, 'bikes left'),
    ];
    await given(reader, 'rules', `${sections('Gates close at ten.', 'Dogs stay outside.')}\n`);
    const [old, kept, gone] = [await read(gates, '?around=1'), await read(dogs), await read(bikes)];
    expect(old.body).toMatchObject({ version: 1, newestVersion: 2, current: false });
    expect([starts([old.body]), old.body.content]).toEqual([['Gates'], expect.stringContaining('at nine.')]);
    expect(old.body.after).toEqual([{ chunkId: dogs, content: expect.stringContaining('Dogs') }]);
    expect(old.body.replacedBy.content).toContain('Gates close at ten.');
    expect((await read(old.body.replacedBy.chunkId)).body).toMatchObject({ version: 2, current: true });
    // The same text has another id in each version.
    expect(kept.body).toMatchObject({ version: 1, newestVersion: 2, current: true });
    expect(kept.body.replacedBy.content).toBe(kept.body.content);
    expect(gone.body).toMatchObject({ current: false, replacedBy: null });
  });

  it('of a document that was deleted, or that an incident has set aside, is not found', async () => {
    await given(reader, 'gone', 'Gnus graze at dusk.');
    const deleted = await bestFor(reader, 'gnus graze');
    await reader.call('DELETE', '/v1/documents/handbook/gone');
    expect([(await read(deleted)).status]).toEqual([404]);
    await given(reader, 'gone', 'Gnus graze at noon.');
    expect([(await read(deleted)).status, (await read(await bestFor(reader, 'gnus graze'))).status]).toEqual([
      404, 200,
    ]);

    await given(reader, 'aside', 'Hyraxes bask on rocks.');
    const aside = await bestFor(reader, 'hyraxes bask');
    await api.database.query(`update document set quarantined_version = current_version where doc_id = 'aside'`);
    expect((await read(aside)).status).toBe(404);
    await given(reader, 'aside', 'Hyraxes bask on walls.');
    expect([(await read(aside)).status, (await read(await bestFor(reader, 'hyraxes bask'))).status]).toEqual([
      404, 200,
    ]);
  });

  it('of a document that has its text again after it was deleted is read as what stands there now', async () => {
    const deleted = sections('Okapis hide.', 'Secrets leak.', 'Tapirs swim.');
    await given(reader, 'again', deleted, { title: 'Secret title', url: 'https://example.com/secret' });
    const [okapis, secrets] = [await bestFor(reader, 'okapis hide'), await bestFor(reader, 'secrets leak')];
    await reader.call('DELETE', '/v1/documents/handbook/again');
    await given(reader, 'again', deleted.replaceAll('Secrets leak.', 'Nothing stays.'));
    const { status, body } = await read(okapis, '?around=5');
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ version: 1, newestVersion: 2, current: true, title: 'About again' }),
    ]);
    expect([starts([body]), starts(body.before), starts(body.after)]).toEqual([['Okapis'], [], ['Tapirs']]);
    expect(body.replacedBy).toEqual({ chunkId: await bestFor(reader, 'okapis hide'), content: body.content });
    expect(JSON.stringify(body)).not.toMatch(/secret/i);
    expect((await read(secrets)).status).toBe(404);
  });

  it('that another tenant shares is read as retrieval shows it, until it is replaced', async () => {
    const share = (content: string, shareability: string) =>
      given(publisher, 'shared', content, { corpusId: 'open', shareability });
    await share(sections('Ibises wade.', 'Jackals call.'), 'public_safe');
    const ibis = await bestFor(reader, 'ibises wade');
    const { body } = await read(ibis, '?around=2');
    expect(body).toMatchObject({ corpusId: 'open', docId: 'shared', source: 'commons', current: true, version: 1 });
    expect([body.text, starts(body.after), JSON.stringify(body).includes('publisher')]).toEqual([
      undefined,
      ['Jackals'],
      false,
    ]);
    await share(sections('Ibises fly.', 'Jackals call.'), 'public_safe');
    expect([(await read(ibis)).status, (await read(ibis, '', publisher)).body.current]).toEqual([404, false]);
    const now = await bestFor(reader, 'ibises fly');
    await share(sections('Ibises fly.', 'Jackals call.'), 'owner_only');
    expect((await read(now)).status).toBe(404);
  });

  it('that nobody has is 404 by its id, and a faulty number names its parameter', async () => {
    const { status, body } = await read('chk_none');
    expect([status, body.type, body.chunkId, body.detail]).toEqual([
      404,
      'PassageUnknown',
      'chk_none',
      expect.stringContaining('chk_none'),
    ]);
    const faulty = await read('chk_none', '?around=6');
    expect([faulty.status, faulty.body.issues[0].path]).toEqual([400, 'query.around']);
  });
});
