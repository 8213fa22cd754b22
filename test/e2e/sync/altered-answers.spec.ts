import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/evidence/canonical-json.js';
import { AlteringProxy } from './altering-proxy.js';
import { introduce, Site, TENANT } from './given.js';

let here: Site;
let there: Site;
let between: AlteringProxy;
beforeAll(async () => {
  [here, there] = await Promise.all([Site.start(), Site.start()]);
  between = await AlteringProxy.start(there.daemon.url);
  await introduce([here, 'here'], [there, 'there'], { url: between.url });
  await there.fact('user:ada', 'city', 'London');
  await there.fact('user:bea', 'city', 'Rome');
}, 240_000);
afterAll(async () => {
  await between.stop();
  await Promise.all([here.close(), there.close()]);
});

const pull = () => here.run('sync', 'pull', 'there', '--tenant', TENANT, '--json');
const expectNothing = async () =>
  expect([await here.factsOf('user:ada'), await here.factsOf('user:bea')]).toEqual([[], []]);

/** As a peer would answer that left out the last item. */
const shortened = (page: any) => withItems(page, page.items.slice(0, -1));

function withItems(page: any, items: any[]) {
  const head = Buffer.concat([Buffer.from('svc.sync.page/1\n'), canonicalJson([page.tenant_id, page.collection])]);
  const digests = items.map(({ digest }: { digest: string }) => Buffer.from(digest.slice('sha256:'.length), 'hex'));
  const digest = createHash('sha256').update(Buffer.concat([head, ...digests]));
  return { ...page, items, count: items.length, page_digest: `sha256:${digest.digest('hex')}` };
}

/** By a key of exports of one's own; the other signature is left as it was. */
function signedByAnother({ signature, differs, ...unsigned }: any) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x } = privateKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  const bytes = Buffer.concat([Buffer.from('svc.sync.manifest/1\n'), canonicalJson(unsigned)]);
  const value = sign(null, bytes, privateKey).toString('base64url');
  return { ...unsigned, differs, signature: { ...signature, kid, public_key: x, value } };
}

describe('a peer whose answers are changed on the way', () => {
  it('gives nothing by a manifest that its key did not sign', async () => {
    between.alter('/manifest', (manifest) => ({ ...manifest, position: manifest.position + 1 }));
    const { code, stdout } = await pull();
    expect([code, stdout]).toEqual([2, expect.stringContaining('MANIFEST_UNVERIFIED')]);
    await expectNothing();
  });

  it('gives nothing by a manifest that somebody else signed, whatever key it names', async () => {
    between.alter('/manifest', (manifest) => signedByAnother({ ...manifest, position: manifest.position + 1 }));
    const { code, stdout } = await pull();
    expect([code, stdout]).toEqual([2, expect.stringContaining('not signed by the key of its row')]);
    between.alter('/manifest', (manifest) => ({ ...manifest, signature: { ...manifest.signature, peer: null } }));
    expect(await pull()).toMatchObject({ code: 2, stdout: expect.stringContaining('MANIFEST_UNVERIFIED') });
    await expectNothing();
  });

  it('gives nothing of a page with another root', async () => {
    between.alter('/collections/facts', shortened);
    const { code, stdout } = await pull();
    expect([code, stdout]).toEqual([2, expect.stringContaining('ROOT_UNVERIFIED')]);
    await expectNothing();
  });

  it('is not taken for complete where pages are not what the manifest says', async () => {
    const [leaf] = await there.database.query<{ digest: string }>(
      `select encode(digest, 'hex') as digest from sync_record where collection = 'facts' order by key, digest limit 1`,
    );
    const root = createHash('sha256')
      .update(Buffer.from(`00${leaf!.digest}`, 'hex'))
      .digest('hex');
    between.alter('/collections/facts', (page) => ({ ...shortened(page), root_so_far: `sha256:${root}` }));
    const { code, stdout } = await pull();
    expect([code, stdout]).toEqual([2, expect.stringContaining('not what its manifest says')]);
  });

  it('is not asked again and again for pages that never end', async () => {
    const root = `sha256:${createHash('sha256').digest('hex')}`;
    let pages = 0;
    between.alter('/collections/facts', (page) => {
      pages += 1;
      return { ...withItems(page, []), root_so_far: root, next_cursor: `c${pages}`, has_more: true };
    });
    const { code, stdout } = await pull();
    expect([code, stdout]).toEqual([1, expect.stringContaining('nothing that comes after the page before')]);
    expect(pages).toBe(1);
  });

  it('gives all once they are not', async () => {
    between.alter('');
    const pulled = await here.sync('pull', 'there');
    expect(pulled.state).toBe('equal');
    expect([await here.valueOf('user:ada', 'city'), await here.valueOf('user:bea', 'city')]).toEqual([
      'London',
      'Rome',
    ]);
  });
});

describe('a push', () => {
  it('previews again where the peer was written to in between, and loses neither write', async () => {
    await here.fact('user:ada', 'born', '1815');
    between.once('/promotions/confirm', async () => void (await there.fact('user:ada', 'born', '1816')));
    const pushed = await here.sync('push', 'there');
    expect(pushed.unapplied).toMatchObject([{ verdict: 'conflict_kept', id: ['user:ada', 'born'] }]);
    expect(await here.sync('pull', 'there')).toMatchObject({ state: 'equal' });
    expect(await here.valueOf('user:ada', 'born')).toBe(await there.valueOf('user:ada', 'born'));
  });

  it('ends with 3 where the peer did not take all, and says what', async () => {
    const draft = {
      ...{ fact_id: crypto.randomUUID(), owner: '', visibility: 0, actor: 'test', confidence: 1, tokens: 20 },
      ...{ entity: 'user:ada', key: 'token', horizon_class: 'durable' },
      value: `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`,
    };
    await here.database.query('select count(*) from svc_store_facts($1, $2)', [TENANT, JSON.stringify([[draft]])]);
    const pushed = await here.run('sync', 'push', 'there', '--tenant', TENANT, '--json');
    expect(pushed.code).toBe(3);
    expect(JSON.parse(pushed.stdout)).toMatchObject({
      state: 'unequal',
      unapplied: [{ verdict: 'refused_content', id: ['user:ada', 'token'], reason: expect.stringContaining('secret') }],
    });
    const again = await here.run('sync', 'push', 'there', '--tenant', TENANT);
    expect([again.code, again.stdout]).toEqual([3, expect.stringContaining('refused_content facts user:ada token')]);
  });

  it('leaves out a record that the peer does not read, and brings those that were sent with it', async () => {
    const deep = '['.repeat(60) + ']'.repeat(60);
    await here.database.query(`select * from svc_store_entity($1, 'doc', 'deep', $2, 'test', gen_random_uuid())`, [
      ...[TENANT, deep],
    ]);
    for (const id of ['a', 'b', 'c']) await here.ok('PUT', `/v1/entities/doc/${id}`, { payload: id });
    await here.fact('user:ada', 'after', 'travels');
    const pushed = await here.run('sync', 'push', 'there', '--tenant', TENANT, '--json');
    expect(pushed.code).toBe(3);
    const { unapplied } = JSON.parse(pushed.stdout) as { unapplied: { id: string[]; reason: string }[] };
    expect(unapplied.find(({ id }) => id[1] === 'deep')).toMatchObject({
      ...{ verdict: 'refused_content', reason: expect.stringContaining('is nested deeper than 40 levels') },
    });
    for (const id of ['a', 'b', 'c'])
      expect(await there.ok('GET', `/v1/entities/doc/${id}`)).toMatchObject({ entity: { payload: id } });
    expect(await there.valueOf('user:ada', 'after')).toBe('travels');
  });
});
