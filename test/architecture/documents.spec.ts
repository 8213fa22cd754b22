import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, startApi, type TestApi } from '../kit/app.js';
import { startDaemon, type TestDaemon } from '../kit/daemon.js';
import { exampleFaults, openApiProblems, operationsIn, spectralProblems } from '../kit/openapi.js';
import { startTools, type TestTools } from '../kit/tools.js';

const SERVERS = ['api', 'daemon', 'tools'] as const;
type Server = (typeof SERVERS)[number];

let api: TestApi;
let daemon: TestDaemon;
let tools: TestTools;
const texts = {} as Record<Server, string>;
const documents = {} as Record<Server, any>;
const addressOf = (server: Server): [url: string, path: string] =>
  ({
    api: [api.url, '/openapi.json'] as [string, string],
    daemon: [daemon.url, '/docs/openapi.json'] as [string, string],
    tools: [tools.url, '/openapi.json'] as [string, string],
  })[server];

beforeAll(async () => {
  api = await startApi();
  [daemon, tools] = [await startDaemon(), await startTools(api)];
  for (const server of SERVERS)
    ({ text: texts[server], body: documents[server] } = await send(addressOf(server)[0], 'GET', addressOf(server)[1]));
});
afterAll(async () => {
  await tools.close();
  await api.close();
  await daemon.close();
});

/** Before the linters, which keep this process from answering for a minute. */
describe.each(SERVERS)('the document of the %s', (server) => {
  it('is sent again only to those who have another one, and compressed', async () => {
    const [url, path] = addressOf(server);
    const first = await fetch(url + path, { headers: { 'accept-encoding': 'gzip' } });
    expect(first.headers.get('content-encoding')).toBe('gzip');
    expect(await first.text()).toBe(texts[server]);
    const etag = first.headers.get('etag')!;
    const again = await fetch(url + path, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    const other = await fetch(url + path, { headers: { 'if-none-match': '"of-another-release"' } });
    expect([other.status, other.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    await other.body?.cancel();
  });
});

/** What an operation does: the first word of its name. */
const VERB =
  /^(?:accept|acknowledge|acquire|add|aggregate|announce|append|approve|archive|ask|assemble|audit|bootstrap|brief|buy|call|change|check|claim|classify|clear|close|comment|compact|compare|confirm|connect|convert|create|decide|declare|delete|describe|diff|disable|disconnect|dispatch|embed|enable|end|erase|exchange|expand|export|extract|find|finish|follow|force|generate|hold|import|ingest|install|invite|invoke|issue|lead|lift|link|list|make|measure|move|obey|offboard|open|pack|patch|pin|place|preview|probe|promote|propose|prove|publish|put|read|rebuild|receive|reconcile|record|refuse|register|reject|release|remove|renew|repeat|replace|replay|replicate|report|request|rerank|resolve|respond|restart|retire|retrieve|review|revoke|rotate|run|scan|send|set|ship|show|sign|simulate|spend|sponsor|start|store|submit|summarize|sync|take|tip|triage|try|undo|unlink|verify|vote|walk|withdraw|write)[A-Z]\w+$/;

describe.each(SERVERS)('the OpenAPI document of the %s', (server) => {
  it('is valid OpenAPI 3.1, without a warning of Redocly', async () => {
    expect(documents[server].openapi).toBe('3.1.0');
    expect(await openApiProblems(texts[server])).toEqual([]);
  });

  it('is without a warning of Spectral', { timeout: 240_000 }, async () => {
    expect(await spectralProblems(texts[server])).toEqual([]);
  });

  it('names each operation by a verb and a noun, once', () => {
    const ids = operationsIn(documents[server]).map(([, { operationId }]) => operationId as string);
    expect(ids.filter((id) => !VERB.test(id))).toEqual([]);
    expect(ids.length).toBe(new Set(ids).size);
  });

  it('describes its groups, those of its operations and no other', () => {
    const used = new Set(operationsIn(documents[server]).flatMap(([, { tags }]) => tags as string[]));
    const described = documents[server].tags.map(({ name }: any) => name as string);
    expect([...described].sort()).toEqual([...used].sort());
  });

  it('shows an example of each answer, and each is what its schema says', () => {
    expect(exampleFaults(documents[server])).toEqual([]);
  });
});
