import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { givenDocument, retrieve, type Found } from '../citations/given.js';
import { openIncident, walk } from '../incidents/given.js';
import { givenAnswer } from '../proofs/given.js';
import { anchorAt, claim, dossier, makeProject, must, publish, statesOf, storeFact } from './given.js';

/** The api takes documents and answers, the daemon dossiers that rest on them. */
let api: TestApi;
let daemon: TestDaemon;
let acme: TestTenant;
let ada: DaemonCall;
beforeAll(async () => {
  api = await startApi();
  daemon = await startDaemon({ database: api.database, env: { SVCD_FEATURE_INCIDENTS: '1' } });
  acme = api.tenant;
  ada = daemon.as({ scopes: ALL_SCOPES, passport: 'ada', tenant: acme.tenantId });
  await makeProject(ada, 'shop');
});
afterAll(async () => {
  await daemon.close();
  await api.close();
});

const TEXT = 'Quokkas smile at people, and hop away.';
let cases = 0;
async function given(tenant: TestTenant, shareability: 'owner_only' | 'public_safe' = 'owner_only'): Promise<Found> {
  const corpusId = `corpus-${++cases}`;
  await givenDocument(tenant, { text: TEXT, corpusId, docId: 'quokka', shareability });
  return (await retrieve(tenant, TEXT, { corpusIds: [corpusId], includeCommons: false }))[0];
}
const again = (text: string) => givenDocument(acme, { text, corpusId: `corpus-${cases}`, docId: 'quokka' });

describe('a claim about a passage', () => {
  it('holds in a newer version of the document that has the text, and is stale without it', async () => {
    const { chunkId, content } = await given(acme);
    await publish(ada, 'shop', 'passage', [
      claim('words', anchorAt('chunk', chunkId, content, 'hop away')),
      claim('whole', { kind: 'chunk', id: chunkId }),
      claim('other-words', { ...anchorAt('chunk', chunkId, content, 'hop away'), start: 0, end: 8 }),
    ]);
    const expected = { words: 'supported', whole: 'supported', 'other-words': 'stale' };
    expect(await statesOf(ada, 'shop', 'passage')).toEqual(expected);
    await again(`${TEXT}\n`);
    expect(await statesOf(ada, 'shop', 'passage')).toEqual(expected);
    await again('Quokkas do not smile.');
    expect(await statesOf(ada, 'shop', 'passage')).toEqual({ words: 'stale', whole: 'stale', 'other-words': 'stale' });
  });

  it('may rest on what another tenant shares, not on what it keeps to itself', async () => {
    const publisher = await api.addTenant('publisher');
    const [shared, own] = [await given(publisher, 'public_safe'), await given(publisher)];
    await publish(ada, 'shop', 'shared', [claim('a', { kind: 'chunk', id: shared.chunkId })]);
    expect(await statesOf(ada, 'shop', 'shared')).toEqual({ a: 'supported' });
    const refused = await ada(
      'POST',
      '/v1/projects/shop/dossiers',
      dossier('shop', 'own', [claim('a', { kind: 'chunk', id: own.chunkId })]),
    );
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, 'body.claims[0].anchors[0].id']);
  });

  it('is reached by the blast radius of its passage, and of a fact', async () => {
    const { chunkId } = await given(acme);
    const fact = await storeFact(ada, 'shop', 'quokka', 'smiles');
    await publish(ada, 'shop', 'radius', [
      claim('p', { kind: 'chunk', id: chunkId }),
      claim('f', { kind: 'fact', id: fact.fact_id }),
    ]);
    const incident = await openIncident(ada, acme.tenantId);
    const claimsOf = async (kind: string, id: string) =>
      (await walk(ada, incident, { kind, id })).nodes
        .filter((node: any) => node.kind === 'claim')
        .map((node: any) => node.id);
    expect(await claimsOf('passage', chunkId)).toEqual(['shop/radius/p']);
    expect(await claimsOf('fact', fact.fact_id)).toEqual(['shop/radius/f']);
    await must(ada('POST', `${incident}/blast-radius`, { kind: 'fact', id: fact.fact_id, apply: true }));
    expect(await statesOf(ada, 'shop', 'radius')).toEqual({ p: 'supported', f: 'stale' });
    await must(ada('POST', `${incident}/blast-radius`, { undo: true }));
    expect(await statesOf(ada, 'shop', 'radius')).toEqual({ p: 'supported', f: 'supported' });
  });
});

it('a dossier that the server makes has the answers of the project, in their newest version', async () => {
  await makeProject(ada, 'answers');
  const { chunkId, content } = await given(acme);
  const said = { answerId: 'quokkas', answerText: 'They smile.', citations: [{ chunkId, quote: 'smile at people' }] };
  await givenAnswer(acme, [chunkId], { ...said, answerText: 'Old.', metadata: { project_id: 'answers' } });
  await givenAnswer(acme, [chunkId], { ...said, metadata: { project_id: 'answers' } });
  await givenAnswer(acme, [chunkId], { answerId: 'elsewhere', metadata: { project_id: 'answers-two' } });
  await givenAnswer(acme, [chunkId], { answerId: 'nowhere' });
  const made = await must(ada('POST', '/v1/projects/answers/dossiers/auto'));
  expect(made.claims).toMatchObject([
    {
      text: 'They smile.',
      confidence: null,
      state: 'supported',
      anchors: [anchorAt('chunk', chunkId, content, 'smile at people')],
    },
  ]);
  expect(made.based_on).toMatchObject({ facts: [], chunks: [chunkId], receipts: [expect.any(String)] });
  await again('Nothing of it.');
  expect((await must(ada('GET', `/v1/projects/answers/dossiers/${made.dossier_id}`))).stats).toMatchObject({
    stale: 1,
  });
});
