import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { canonicalJson } from '../../../src/evidence/canonical-json.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
let acme: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ tenants: ['acme', 'globex'] });
  acme = daemon.as({ scopes: 'query:read facts:read facts:write', tenant: 'acme', passport: 'ada' });
});
afterAll(() => daemon.close());

const RESOLVE = '/v1/memory/engrams/resolve';
const SECRET = 'hunter2hunter2';
const put = async (name: string, payload: object, by: DaemonCall = acme): Promise<any> => {
  const { status, body } = await by('PUT', `/v1/entities/engram/${name}`, { payload });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.entity;
};
const setHash = (engrams: any[]) =>
  blake3Digest(canonicalJson(engrams.map(({ name, version, hash }) => [name, version, hash])));

describe('an engram', () => {
  it('is an entity of its kind: every save is a version, read with its hash', async () => {
    await put('greet', { content: 'Say hello.', description: 'When somebody comes.', intent_bucket: 'talk' });
    await put('greet', { content: 'Say good day.', intent_bucket: 'talk' });
    const { body } = await acme('GET', '/v1/engrams/greet');
    expect(body).toMatchObject({ schema: 'svc.engram/1', labels: [] });
    expect(body.engram).toMatchObject({
      ...{ id: 'engram:greet', name: 'greet', version: 2, content: 'Say good day.', enabled: true, source: 'entity' },
      ...{ hash: blake3Digest('Say good day.'), generated_class: 'authored', created_by: 'passport:ada' },
    });
    const versions = await acme('GET', '/v1/engrams/greet/versions?limit=1');
    expect(versions.body).toMatchObject({ has_more: true, versions: [{ version: 2 }] });
    const older = await acme('GET', `/v1/engrams/greet/versions?limit=1&cursor=${versions.body.next_cursor}`);
    expect(older.body).toMatchObject({ has_more: false, next_cursor: null, versions: [{ content: 'Say hello.' }] });
  });

  it('leaves a signed receipt with each save and with its deletion, and none with a save that came to nothing', async () => {
    await put('proven', { content: 'One.' });
    const save = (content: string, base_version: number) =>
      acme('PUT', '/v1/entities/engram/proven', { payload: { content }, base_version });
    expect((await save('Two.', 1)).status).toBe(200);
    expect((await save('Three.', 1)).body).toMatchObject({ code: 'ENTITY_CHANGED', version: 2 });
    expect((await acme('DELETE', '/v1/entities/engram/proven')).status).toBe(200);
    const receipts = await daemon.database.query<{ kind: string; receipt_id: string; actor: string }>(
      `select kind, receipt_id, actor from receipt where subject = 'engram:proven' order by seq`,
    );
    expect(receipts.map(({ kind }) => kind)).toEqual(['engram.stored', 'engram.stored', 'engram.deleted']);
    const reader = daemon.as({ scopes: 'receipts:read', tenant: 'acme' });
    const { receipt_id, actor } = receipts[1]!;
    const { body } = await reader('GET', `/v1/receipts/${receipt_id}?tenant_id=acme`);
    expect(Buffer.from(body.payload_base64, 'base64').toString()).toContain(blake3Digest('Two.'));
    expect(actor).toBe('passport:ada');
    const check = await reader('GET', `/v1/receipts/${receipt_id}/verification?tenant_id=acme`);
    expect(check.body).toMatchObject({ signature_valid: true, error_code: 'OK' });
  });

  it('is listed page by page, by name and by intent bucket, with the members of the specification', async () => {
    for (const name of ['list-a', 'list-b', 'list-c']) await put(name, { content: name, intent_bucket: 'listed' });
    const found: any[] = [];
    for (let cursor = ''; ;) {
      const { body } = await acme('GET', `/v1/engrams?intent_bucket=listed&limit=2${cursor}`);
      expect(body).toMatchObject({ total: 3, schema: 'svc.engrams/1' });
      found.push(...body.engrams);
      if (!body.has_more) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(found.map(({ name }) => name)).toEqual(['list-a', 'list-b', 'list-c']);
    const members =
      'id name version enabled intent_bucket query_pattern capability_class_min capability_class_max generated_class inherited_reason policy_hash prompt_hash source_chunk_hashes source_chunk_set_hash created_at_unix_ms';
    for (const member of members.split(' ')) expect(found[0]).toHaveProperty(member);
    expect(found[0]).not.toHaveProperty('content');
  });

  it('has its form at GET /v1/kinds/engram', async () => {
    const { body } = await acme('GET', '/v1/kinds/engram');
    expect(body.registration.payload_schema).toMatchObject({ type: 'object', required: ['content'] });
    await acme('PUT', '/v1/entities/person/ada', { payload: 'anything' });
    expect((await acme('GET', '/v1/kinds/person')).body.registration.payload_schema).toBeNull();
  });

  it.each<[string, unknown, string]>([
    ['no content', { description: 'x' }, 'body.payload.content'],
    ['no object', 'text', 'body.payload'],
    ['a member there is not', { content: 'x', color: 'red' }, 'body.payload.color'],
    ['a class of its own', { content: 'x', capability_class_min: 'huge' }, 'body.payload.capability_class_min'],
    [
      'classes that cross',
      { content: 'x', capability_class_min: 'large', capability_class_max: 'small' },
      'capability_class_max',
    ],
    ['another name', { content: 'x', name: 'other' }, 'body.payload.name'],
    ['a content that is too long', { content: 'x'.repeat(65_537) }, 'body.payload.content'],
    ['an inherited one without its reason', { content: 'x', generated_class: 'inherited' }, 'inherited_reason'],
    ['a digest that is none', { content: 'x', policy_hash: 'md5:1' }, 'body.payload.policy_hash'],
  ])('is refused with %s: 400 names the member', async (_what, payload, member) => {
    const { status, body } = await acme('PUT', '/v1/entities/engram/bad', { payload });
    expect([status, body.detail]).toEqual([400, expect.stringContaining(member)]);
    expect((await acme('GET', '/v1/engrams/bad')).status).toBe(404);
  });

  it('is refused under a name that is none', async () => {
    const { status, body } = await acme('PUT', '/v1/entities/engram/Not%20a%20name', { payload: { content: 'x' } });
    expect([status, body.detail]).toEqual([400, expect.stringContaining('path.id')]);
    expect((await acme('GET', '/v1/engrams/UPPER')).status).toBe(400);
  });

  it('is stored without its secrets, and says where they stood', async () => {
    const { payload } = await put('keys', { content: `password: ${SECRET} it is.` });
    expect(payload.content).not.toContain(SECRET);
    expect(payload.screened).toEqual([{ member: 'content', kind: expect.any(String), start: 10, end: 24 }]);
    const dump = await daemon.database.query<{ n: number }>(
      `select count(*)::int n from graph_entity_version where payload::text like '%${SECRET}%'`,
    );
    expect(dump).toEqual([{ n: 0 }]);
  });

  it('is stored without secrets in any of its texts, nor are they in the receipt of who asked for it', async () => {
    const texts = ['description', 'intent_bucket', 'query_pattern', 'inherited_reason'];
    const { payload } = await put('more-keys', {
      ...{ content: 'Rotate them.', generated_class: 'inherited' },
      ...Object.fromEntries(texts.map((member) => [member, `token: ${SECRET}`])),
    });
    expect(payload.screened.map(({ member }: { member: string }) => member)).toEqual(texts);
    const asked = { names: ['more-keys'], agent_id: `password=${SECRET}`, model_id: `password=${SECRET}` };
    expect((await acme('POST', RESOLVE, asked)).status).toBe(200);
    const dump = await daemon.database.query<{ n: number }>(
      `select count(*)::int n from graph_entity_version where payload::text like '%${SECRET}%'
       union all select count(*)::int from outbox_event e where e::text like '%${SECRET}%'`,
    );
    expect(dump).toEqual([{ n: 0 }, { n: 0 }]);
  });
});

describe('labels', () => {
  const label = (name: string, to: string, body: object) => acme('PUT', `/v1/engrams/${name}/labels/${to}`, body);

  it('point at a version, are moved and removed, with a receipt each', async () => {
    await put('deploy', { content: 'One.' });
    await put('deploy', { content: 'Two.' });
    const set = await label('deploy', 'production', { version: 1, base_version: 0 });
    expect(set.body).toMatchObject({ name: 'deploy', removed: false, label: { engram_version: 1, version: 1 } });
    const same = await label('deploy', 'production', { version: 1 });
    expect(same.body.label).toEqual(set.body.label);
    const resolve = (more: object) => acme('POST', RESOLVE, { names: ['deploy'], ...more });
    expect((await resolve({ label: 'production' })).body.engrams).toMatchObject([{ version: 1, content: 'One.' }]);
    expect((await resolve({ label: 'latest' })).body.engrams).toMatchObject([{ version: 2 }]);
    await label('deploy', 'production', { version: 2, base_version: 1 });
    expect((await resolve({ label: 'production' })).body.engrams).toMatchObject([{ version: 2, content: 'Two.' }]);
    const stale = await label('deploy', 'production', { version: 1, base_version: 1 });
    expect([stale.status, stale.body.version]).toEqual([409, 2]);
    const gone = await acme('DELETE', '/v1/engrams/deploy/labels/production');
    expect(gone.body).toMatchObject({ removed: true, label: { label: 'production' } });
    expect((await acme('DELETE', '/v1/engrams/deploy/labels/production')).status).toBe(404);
    expect((await resolve({ label: 'production' })).status).toBe(422);
    const kinds = await daemon.database.query<{ kind: string }>(
      `select kind from receipt where subject = 'engram:deploy' order by seq`,
    );
    const labelled = kinds.map(({ kind }) => kind).filter((kind) => kind !== 'engram.stored');
    expect(labelled).toEqual(['engram.labelled', 'engram.labelled', 'engram.unlabelled']);
  });

  it('are refused for what is not there', async () => {
    expect((await label('nobody', 'x', { version: 1 })).status).toBe(404);
    const { status, body } = await label('deploy', 'x', { version: 99 });
    expect([status, body.detail]).toEqual([400, expect.stringContaining('body.version')]);
    expect((await label('deploy', 'latest', { version: 1 })).status).toBe(400);
    expect((await label('deploy', 'Not-One', { version: 1 })).status).toBe(400);
    const reader = daemon.as({ scopes: 'query:read', tenant: 'acme' });
    expect((await reader('PUT', '/v1/engrams/deploy/labels/x', { version: 1 })).status).toBe(403);
  });

  it('of one name are moved one after the other: of two at once against one base, one is refused', async () => {
    await put('race', { content: 'One.' });
    await put('race', { content: 'Two.' });
    const answers = await Promise.all(
      [1, 2, 1, 2].map((version) => label('race', 'live', { version, base_version: 0 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });
});

describe('resolve', () => {
  it('gives whole contents, a set hash that anybody can work out, and a receipt', async () => {
    await put('r-one', { content: 'One.', generated_class: 'derived', source_chunk_hashes: [blake3Digest('a')] });
    await put('r-two', { content: 'Two.' });
    const { status, body, headers } = await acme('POST', RESOLVE, {
      names: ['r-two', 'r-one', 'r-two'],
      agentId: 'bot',
    });
    expect([status, body.detail]).toEqual([200, undefined]);
    expect(body.engrams.map(({ name }: any) => name)).toEqual(['r-one', 'r-two']);
    expect(body.engram_set_hash).toBe(setHash(body.engrams));
    expect(headers.get('etag')).toBe(`"${body.engram_set_hash}"`);
    expect(body).toMatchObject({
      ...{
        manifest_status: 'unknown',
        manifest_hash: body.engram_set_hash,
        capability_class: 'standard',
        agent_id: 'bot',
      },
      ...{ generated_class: 'derived', source_chunk_hashes: [blake3Digest('a')], tenant_id: 'acme' },
      source_chunk_set_hash: blake3Digest(canonicalJson([blake3Digest('a')])),
    });
    const check = await daemon.as({ scopes: 'receipts:read', tenant: 'acme' })(
      'GET',
      body.receipt_linkage.verification,
    );
    expect(check.body).toMatchObject({ signature_valid: true, error_code: 'OK' });
  });

  it('says whether a manifest still holds', async () => {
    await put('m', { content: 'One.' });
    const { manifest_hash: first } = (await acme('POST', RESOLVE, { names: ['m'] })).body;
    const again = (hash: string) => acme('POST', RESOLVE, { names: ['m'], manifest_hash: hash });
    expect((await again(first)).body.manifest_status).toBe('match');
    await put('m', { content: 'Two.' });
    expect((await again(first)).body.manifest_status).toBe('stale');
  });

  it('leaves out what does not fit the model, and what is switched off', async () => {
    await put('for-large', { content: 'Think.', capability_class_min: 'large' });
    await put('off', { content: 'Never.', enabled: false });
    const names = ['for-large', 'off'];
    const small = (await acme('POST', RESOLVE, { names, model_id: 'qwen3-4b' })).body;
    expect([small.capability_class, small.engrams]).toEqual(['small', []]);
    expect(small.left_out.map(({ name }: any) => name)).toEqual(names);
    const large = (await acme('POST', RESOLVE, { names, modelId: 'Claude-Opus-9' })).body;
    expect([large.capability_class, large.engrams.length]).toEqual(['frontier', 1]);
    expect((await acme('POST', RESOLVE, { names, model_id: 'nobody-knows' })).body.capability_class).toBe('standard');
  });

  it('takes either spelling, and refuses two that differ', async () => {
    for (const body of [{ tenant_id: 'acme' }, { tenantId: 'acme' }, { tenant_id: 'acme', tenantId: 'acme' }])
      expect((await acme('POST', RESOLVE, body)).body.tenant_id).toBe('acme');
    const { status, body } = await acme('POST', RESOLVE, { model_id: 'a', modelId: 'b', agent_id: 'x', agentId: 'y' });
    expect([status, body.members]).toEqual([422, ['agent_id', 'model_id']]);
  });

  it('lists every name that is not there', async () => {
    const { status, body } = await acme('POST', RESOLVE, { names: ['m', 'none-a', 'none-b'] });
    expect([status, body.unknown]).toEqual([422, ['none-a', 'none-b']]);
    await acme('DELETE', '/v1/entities/engram/m');
    expect((await acme('POST', RESOLVE, { names: ['m'] })).status).toBe(422);
  });

  it.each<[string, object]>([
    ['names that are no list', { names: 'x' }],
    ['no names in the list', { names: [] }],
    ['a label that is none', { label: 'A B' }],
    ['a member there is not', { color: 1 }],
  ])('refuses %s', async (_what, body) => {
    expect((await acme('POST', RESOLVE, body)).status).toBe(400);
  });
});

describe('two tenants', () => {
  it('see nothing of each other', async () => {
    await put('secret-plan', { content: 'Ours.' });
    await acme('PUT', '/v1/engrams/secret-plan/labels/live', { version: 1 });
    const globex = daemon.as({ scopes: 'query:read facts:write facts:read', tenant: 'globex' });
    expect((await globex('GET', '/v1/engrams')).body).toMatchObject({ engrams: [], total: 0 });
    expect((await globex('GET', '/v1/engrams/secret-plan')).status).toBe(404);
    expect((await globex('GET', '/v1/engrams/secret-plan/versions')).status).toBe(404);
    expect((await globex('PUT', '/v1/engrams/secret-plan/labels/live', { version: 1 })).status).toBe(404);
    expect((await globex('DELETE', '/v1/engrams/secret-plan/labels/live')).status).toBe(404);
    expect((await globex('POST', RESOLVE, { names: ['secret-plan'] })).status).toBe(422);
    expect((await globex('POST', RESOLVE, { tenant_id: 'acme' })).status).toBe(403);
    expect((await globex('POST', RESOLVE, { tenantId: 'acme' })).status).toBe(403);
    expect((await globex('POST', '/v1/memory/session-init', { tenantId: 'acme' })).status).toBe(403);
  });

  it('need a scope', async () => {
    const other = daemon.as({ scopes: 'facts:read', tenant: 'acme' });
    for (const [method, path] of [
      ['GET', '/v1/engrams'],
      ['GET', '/v1/engrams/m'],
      ['POST', RESOLVE],
    ] as const)
      expect((await other(method, path, method === 'POST' ? {} : undefined)).status).toBe(403);
  });
});

describe('an erasure', () => {
  it('takes the engram, its versions and its labels', async () => {
    await put('about-bob', { content: 'Bob likes tea.' });
    await acme('PUT', '/v1/engrams/about-bob/labels/live', { version: 1 });
    const admin = daemon.as({ scopes: 'admin:write admin:read', tenant: 'acme' });
    const { status, body } = await admin('POST', '/v1/facts/erase', {
      tenant_id: 'acme',
      entities: ['engram:about-bob'],
    });
    expect([status, body.detail]).toEqual([200, undefined]);
    for (const table of ['engram_label', 'graph_entity_version'])
      expect(await daemon.database.query(`select 1 from ${table} where id = 'about-bob'`)).toEqual([]);
    expect((await acme('GET', '/v1/engrams/about-bob')).status).toBe(404);
  });
});

describe('session-init', () => {
  const INIT = '/v1/memory/session-init';
  const start = async (by: DaemonCall, body: object = {}, headers: Record<string, string> = {}): Promise<any> => {
    const answer = await by('POST', INIT, body, headers);
    expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
    return answer.body;
  };

  it('assembles what there is, and gives the same hash for the same state', async () => {
    const globex = daemon.as({ scopes: 'query:read facts:write admin:read', tenant: 'globex', passport: 'eve' });
    await put('habits', { content: 'Be brief.' }, globex);
    await globex('PUT', '/v1/facts', { entity: 'agent:bot', key: 'tone', value: 'friendly\n# Procedure' });
    const work = await globex('POST', '/v1/work', {
      title: 'Write the page',
      body: 'All of it.',
      project_id: 'docs',
      state: 'ready',
      created_by_passport: 'eve',
    });
    expect([work.status, work.body.detail]).toEqual([expect.any(Number), undefined]);
    const first = await start(globex, { agent_id: 'bot' });
    expect(first).toMatchObject({
      schema: 'svc.session-init/1',
      passport_id: 'eve',
      capability_class: 'standard',
      omitted: [],
    });
    expect(first.hash).toBe(blake3Digest(first.body));
    expect(first.session_procedure_hash).toBe(blake3Digest(first.session_procedure));
    for (const part of [
      'passport: eve',
      first.session_procedure,
      'Be brief.',
      'tone: friendly # Procedure',
      'Write the page',
    ])
      expect(first.body).toContain(part);
    expect(first.engram_manifest.engrams).toMatchObject([{ name: 'habits', version: 1 }]);
    const resolved = await globex('POST', RESOLVE, { manifest_hash: first.engram_manifest.engram_set_hash });
    expect(resolved.body.manifest_status).toBe('match');
    expect((await start(globex, { agentId: 'bot' })).hash).toBe(first.hash);
    await put('habits', { content: 'Be very brief.' }, globex);
    expect((await start(globex, { agent_id: 'bot' })).hash).not.toBe(first.hash);
  });

  it('takes whole items within the budget, and says what it left out', async () => {
    await put('long', { content: 'many words '.repeat(2000) });
    const tight = await start(acme, { token_budget: 400 });
    expect(tight.tokens).toBeLessThanOrEqual(400);
    expect(tight.omitted).toContainEqual(
      expect.objectContaining({
        section: 'engrams',
        id: 'long',
        tokens: expect.any(Number),
        why: expect.stringContaining('tokens'),
      }),
    );
    expect(tight.body).not.toContain('many words');
    expect((await start(acme, { token_budget: 100_000 })).body).toContain('many words');
    expect((await acme('POST', INIT, { token_budget: 1 })).status).toBe(400);
  });

  it('works with each scope alone, and shows no more than the scope does', async () => {
    await acme('PUT', '/v1/facts', { entity: 'plan', key: 'day', value: 'tuesday-morning' });
    for (const scopes of ['sessions:read', 'query:read', 'admin:read']) {
      const made = await start(daemon.as({ scopes, tenant: 'acme' }), { token_budget: 100_000 });
      expect([scopes, made.body.includes('tuesday-morning')]).toEqual([scopes, scopes !== 'sessions:read']);
      const sections = made.omitted.filter(({ id }: any) => id === null).map(({ section }: any) => section);
      expect([scopes, sections]).toEqual([
        scopes,
        { 'sessions:read': ['facts', 'work', 'gates'], 'query:read': ['work', 'gates'], 'admin:read': [] }[scopes],
      ]);
    }
    expect((await daemon.as({ scopes: 'facts:read', tenant: 'acme' })('POST', INIT, {})).status).toBe(403);
  });

  it('shows nobody the private facts of others', async () => {
    const private_ = { entity: 'diary', key: 'page', value: 'nobody-else', private: true };
    const stored = await acme('PUT', '/v1/facts', private_);
    expect(stored.status).toBe(201);
    const other = daemon.as({ scopes: 'query:read admin:read', tenant: 'acme', passport: 'mallory' });
    expect((await start(other, { token_budget: 100_000 })).body).not.toContain('nobody-else');
    expect((await start(acme, { token_budget: 100_000 })).body).toContain('nobody-else');
  });
});
