import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

const FACTS = [
  ['user:ada', 'editor', 'Ada edits with Helix and a dark theme.'],
  ['user:ada', 'city', 'Ada lives in Lisbon near the river.'],
  ['project:svc', 'release', 'A release is cut every second Tuesday.'],
  ['project:svc', 'reviewer', 'Two reviewers approve a change to the ledger.'],
];

let daemon: TestDaemon;
let ada: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon();
  ada = daemon.as({ scopes: 'query:read facts:write', passport: 'ada', tenant: 'fit' });
  for (const [entity, key, value] of FACTS) await ada('PUT', '/v1/facts', { entity, key, value });
}, 60_000);
afterAll(() => daemon.close());

const fitOf = async (query: string): Promise<unknown> => (await ada('GET', `/v1/facts?${query}`)).body.fit;
const asking = (query: string): string => new URLSearchParams({ query }).toString();

it('the fit says whether the facts that a query found answer it', async () => {
  expect(await fitOf(asking('How many reviewers approve a change to the ledger?'))).toBe('strong');
  expect(await fitOf(asking('when is a release cut'))).not.toBe('none');
  expect(await fitOf(asking('Lisbon'))).not.toBe('none');
  expect(await fitOf(asking('Which medication helps against high blood pressure of the elderly?'))).toBe('none');
  expect(await fitOf(asking('zebra'))).toBe('none');
});

it('the fit is of a query: without a query there is none, and without tokens it is still there', async () => {
  expect(await fitOf('top_k=3')).toBeUndefined();
  expect(await fitOf(`${asking('a change to the ledger')}&token_budget=0`)).toBe('strong');
});

it('a search finds by related words when that is asked', async () => {
  const query = 'where does Ada reside';
  const keysOf = async (more: string): Promise<string[]> =>
    (await ada('GET', `/v1/facts?${asking(query)}${more}`)).body.facts.map(({ key }: { key: string }) => key);
  expect((await keysOf('&synonyms=true'))[0]).toBe('city');
  const plain = (await ada('GET', `/v1/facts?${asking('dwelling')}`)).body;
  expect(plain).toMatchObject({ facts: [], matched: false });
  const { facts } = (await ada('GET', `/v1/facts?${asking('dwells')}&synonyms=true`)).body;
  expect(facts.map(({ key }: { key: string }) => key)).toEqual(['city']);
});
