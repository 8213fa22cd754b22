import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { write } from '../continuity/given.js';
import { openIncident, walk } from '../incidents/given.js';
import { ingested } from '../ingest/given.js';
import { givenAnswer, prove } from '../proofs/given.js';
import { alertsOf, changesOf, given, watch } from '../watches/given.js';

/** Features that say whether an answer still holds, asked about the same answers: they have to agree. */
let api: TestApi;
let daemon: TestDaemon;
let reader: TestTenant;
let publisher: TestTenant;
let call: DaemonCall;
beforeAll(async () => {
  api = await startApi();
  daemon = await startDaemon({ database: api.database, env: { SVCD_FEATURE_INCIDENTS: '1' } });
  reader = api.tenant;
  publisher = await api.addTenant('publisher');
  call = daemon.as({ scopes: 'replay:answer exports:read receipts:read', tenant: reader.tenantId });
});
afterAll(async () => {
  await daemon.close();
  await api.close();
});

const soon = { timeout: 15_000 };
const TEXT = 'Bilbies dig spiral burrows.';

interface Given {
  owner: TestTenant;
  corpusId: string;
  answerId: string;
}
let cases = 0;
/** An answer that cites the only passage of a document, pinned and watched. */
async function givenCited(owner: TestTenant) {
  const corpusId = `corpus-${++cases}`;
  await given(owner, 'doc', TEXT, { corpusId, shareability: owner === reader ? 'owner_only' : 'public_safe' });
  const request = { query: TEXT, corpusIds: [corpusId], agentId: corpusId, includeCommons: owner !== reader };
  const found = await reader.call('POST', '/v1/retrieve', request);
  const answerId = await givenAnswer(reader, [found.body.results[0].chunkId], { agentId: corpusId });
  await write(reader, corpusId, { pins: [{ answerId }] });
  const watched = await watch(reader, { targetType: 'answer', targetId: answerId, agentId: corpusId });
  return { owner, corpusId, answerId, watched };
}

/** Waits until every change was looked at. */
async function allLookedAt(): Promise<void> {
  const docId = `beacon-${++cases}`;
  await given(reader, docId, 'A beacon.');
  const beacon = await watch(reader, { targetType: 'document', targetId: `handbook/${docId}`, agentId: 'beacon' });
  await given(reader, docId, 'Another beacon.');
  await expect.poll(() => changesOf(reader, beacon), soon).toEqual(['new_version']);
}

/** What each feature says of the answer. A watch and a pin speak only when it does not hold. */
async function saidOf({ corpusId, answerId, watched }: Awaited<ReturnType<typeof givenCited>>) {
  await allLookedAt();
  const alerts = await alertsOf(reader, watched);
  const pins = (await reader.call('GET', `/v1/home/${corpusId}/stale-pins`)).body.stale_pins;
  const validity = await call('GET', `/v1/replay/answers/${answerId}/validity?tenant_id=${reader.tenantId}`);
  const exported = await call(
    'GET',
    `/v1/replay/exports/answers/${answerId}?tenant_id=${reader.tenantId}&mode=verified`,
  );
  const sources = exported.body.disclosures.filter(({ path }: any) => path.at(-1) === 'source' && path.length === 3);
  const proof = await prove(reader, { answerId, agentId: corpusId, mode: 'verified' });
  return {
    states: {
      proof: proof.verdict,
      validity: validity.body.overall,
      passage: validity.body.evidence[0].state,
      watch: alerts[0]?.state ?? 'holds',
      pin: pins[0]?.changes[0].state ?? 'holds',
      export: sources.map(({ value }: any) => value).find((value: string) => value !== 'tenant' && value !== 'commons'),
    },
    stale: validity.body.stale,
    drift: [proof.driftCategories, validity.body.drift_categories],
  };
}

const everywhere = (state: string) => ({
  proof: state,
  validity: state,
  passage: state,
  watch: state,
  pin: state,
  export: state,
});
const replace = ({ owner, corpusId }: Given, content: string, more: object = {}) =>
  given(owner, 'doc', content, { corpusId, ...more });

describe('features that say whether an answer still holds', () => {
  it.each<[string, 'own' | 'shared', (cited: Given) => Promise<unknown>, string, string[]]>([
    ['nothing happened', 'own', () => Promise.resolve(), 'holds', []],
    [
      'its document came in again under another title',
      'own',
      (cited) => replace(cited, TEXT, { title: 'Another title' }),
      'holds',
      ['metadata_changed'],
    ],
    [
      'a better match was added',
      'own',
      ({ corpusId }) => given(reader, 'better', `${TEXT} ${TEXT}`, { corpusId }),
      'holds',
      ['re_ranked'],
    ],
    ['its text was changed', 'own', (cited) => replace(cited, 'Bilbies dig burrows.'), 'drifted', ['source_changed']],
    [
      'its document was deleted',
      'own',
      ({ corpusId }) => reader.call('DELETE', `/v1/documents/${corpusId}/doc`),
      'unavailable',
      ['source_deleted'],
    ],
    [
      'its document was set aside by an incident',
      'own',
      async ({ corpusId }) => {
        const by = daemon.as({ scopes: 'facts:write', tenant: reader.tenantId });
        const incident = await openIncident(by, reader.tenantId);
        await walk(by, incident, { kind: 'document', id: `${corpusId}/doc`, apply: true });
      },
      'unavailable',
      ['quarantined'],
    ],
    [
      "another tenant's document came in again, still shared",
      'shared',
      (cited) => replace(cited, TEXT, { shareability: 'public_safe' }),
      'holds',
      [],
    ],
    [
      'another tenant shares its document no longer',
      'shared',
      (cited) => replace(cited, TEXT, { shareability: 'owner_only' }),
      'unavailable',
      ['access_lost'],
    ],
  ])('agree when %s', async (_what, whose, change, state, drift) => {
    const cited = await givenCited(whose === 'own' ? reader : publisher);
    await change(cited);
    const said = await saidOf(cited);
    expect(said).toEqual({
      states: everywhere(state),
      stale: state !== 'holds',
      drift: [drift, drift],
    });
  });

  it('agree when a text comes back', async () => {
    const cited = await givenCited(reader);
    await reader.call('DELETE', `/v1/documents/${cited.corpusId}/doc`);
    // A watch goes by what it sees when it looks: it has to look before the text is back.
    await expect.poll(() => changesOf(reader, cited.watched), soon).toEqual(['deleted']);
    await ingested(reader, { docId: 'doc', content: TEXT, corpusId: cited.corpusId });
    const { states } = await saidOf(cited);
    expect(states).toEqual({ ...everywhere('holds'), watch: 'unavailable' });
  });
});
