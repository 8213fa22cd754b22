import { afterAll, beforeAll, expect, it } from 'vitest';
import { caller, type TestApi, type TestTenant, startApi } from '../../kit/app.js';
import { found, ingest } from './given.js';

const MAX_BYTES = 1024 * 1024;
const DOCUMENTS = 60;
const OWN_WORDS = 150;
const QUERIES = 120;

let api: TestApi;
let roomy: TestApi;
/** The same tenant, on each of them. */
let tenants: TestTenant[];
beforeAll(async () => {
  api = await startApi({ env: { SVC_CACHE_MIB: '1' } });
  roomy = await startApi({ database: api.database });
  const { tenantId, apiKey } = api.tenant;
  tenants = [api.tenant, { ...api.tenant, call: caller(roomy.url, tenantId, apiKey) }];
  await ingest(
    api.tenant,
    Array.from({ length: DOCUMENTS }, (_, i) => ({ docId: `d${i}`, content: wordsOf(i).join(' ') })),
  );
}, 120_000);
afterAll(async () => {
  await roomy.close();
  await api.close();
});

const wordsOf = (document: number): string[] =>
  Array.from({ length: OWN_WORDS }, (_, i) => `w${(document * OWN_WORDS + i).toString(36)}x`);

/** Words of the document with a few of another one. */
const queryOf = (i: number): string => {
  const [own, other] = [wordsOf(i % DOCUMENTS), wordsOf((i + 7) % DOCUMENTS)];
  return [...own.slice((i * 13) % 100, ((i * 13) % 100) + 30), ...other.slice(0, 4)].join(' ');
};

async function held({ tenant }: TestApi): Promise<{ bytes: number; most: number }> {
  const { text } = await tenant.call('GET', '/metrics');
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce((all, [, n]) => all + Number(n), 0);
  return { bytes: sum('svc_cache_bytes'), most: sum('svc_cache_max_bytes') };
}

it('answers the same from an index that does not fit, and never holds more than the budget', async () => {
  for (let i = 0; i < QUERIES; i++) {
    const [tight, wide] = await Promise.all(tenants.map((tenant) => found(tenant, queryOf(i), { limit: 5 })));
    expect(tight![0]).toBe(`d${i % DOCUMENTS}`);
    expect(tight).toContain(`d${(i + 7) % DOCUMENTS}`);
    expect(tight).toEqual(wide);
    const { bytes, most } = await held(api);
    expect(most).toBe(MAX_BYTES);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  }
  // All of it is more than the budget: what was asked for was given up and read again.
  expect((await held(roomy)).bytes).toBeGreaterThan(1.5 * MAX_BYTES);
});

it('answers many at once, each of which asks for what another one drives out', async () => {
  const answers = await Promise.all(
    Array.from({ length: DOCUMENTS }, (_, i) => found(api.tenant, queryOf(i), { limit: 1 })),
  );
  expect(answers.flat()).toEqual(Array.from({ length: DOCUMENTS }, (_, i) => `d${i}`));
  expect((await held(api)).bytes).toBeLessThanOrEqual(MAX_BYTES);
});
