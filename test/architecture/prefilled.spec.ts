import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffect, replaceIdempotencyKey } from '../../src/common/http/docs-page-scripts.js';
import { SCOPES } from '../../src/common/contract/scopes.js';
import { send, startApi, type Answer, type TestApi } from '../kit/app.js';
import { startDaemon, type TestDaemon } from '../kit/daemon.js';
import { ALL_FLAGS_ON } from '../kit/daemon-contract.js';
import { operationsIn } from '../kit/openapi.js';
import { startTools, type TestTools } from '../kit/tools.js';

const GOLDEN = join(import.meta.dirname, '..', 'golden');

let api: TestApi;
let daemon: TestDaemon;
let tools: TestTools;
let key: Record<string, string>;

beforeAll(async () => {
  api = await startApi({ env: FEATURES });
  const { tenantId, apiKey } = await api.addTenant('default');
  key = { 'x-tenant-id': tenantId, 'x-api-key': apiKey };
  daemon = await startDaemon({ env: ALL_FLAGS_ON });
  tools = await startTools(api);
});
afterAll(async () => {
  await tools.close();
  await api.close();
  await daemon.close();
});

const FEATURES = { FEATURE_WATCHES: '1', FEATURE_SELF_SIGNUP: '1' };
/** They last until they are ended. */
const STREAMS = 'text/event-stream';
/** Its answer is that of the moment. */
const READINESS = 'GET /readyz';

/** The operations of a document as the page at /docs shows them: by group. */
function inOrderOfTags(document: any): [string, any][] {
  const order = document.tags.map(({ name }: any) => name as string);
  return operationsIn(document)
    .filter(([address]) => address !== READINESS)
    .filter(([, { responses }]) => Object.keys(responses['200']?.content ?? {}).join() !== STREAMS)
    .sort(
      ([x, a], [y, b]) =>
        order.indexOf(a.tags[0]) - order.indexOf(b.tags[0]) || byEffect(asPageOperation(x), asPageOperation(y)),
    );
}

/** An address as Swagger UI hands it to the order of the page. */
const asPageOperation = (address: string) => {
  const [method, path] = address.split(' ') as [string, string];
  return { get: (name: 'path' | 'method') => (name === 'path' ? path : method.toLowerCase()) };
};

/** What goes on after its answer: whoever reads the page is slower than that. */
async function untilDone(address: string, body: any): Promise<void> {
  const path = {
    'POST /v1/ingest': `/v1/ingest/${body?.ingestId}`,
    'POST /v1/proof/jobs': `/v1/proof/jobs/${body?.jobId}`,
  };
  const follow = path[address as keyof typeof path];
  while (follow && !['completed', 'failed'].includes((await send(api.url, 'GET', follow, undefined, key)).body.status))
    await sleep(100);
}

/** Why something is refused, as the server says it, without what is another each time. */
function reasonOf({ status, body }: Answer): string {
  const { code, detail, error } = body;
  const said = String(detail ?? error?.message ?? '')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
  return `${status} ${code ?? error?.code} | ${said.slice(0, 150).trim()}`;
}

/** What answers gave for other operations, by operationId: the page fills it in. */
type Filled = Map<string, { parameters: Record<string, string>; body: Record<string, string> }>;

/** A JSON pointer without its first slash. */
const at = (body: any, pointer: string): any => pointer.split('/').reduce((part, name) => part?.[name], body);

function fill(filled: Filled, { responses }: any, { status, body }: Answer): void {
  const valuesOf = (expressions: Record<string, string> = {}) =>
    Object.fromEntries(
      Object.entries(expressions)
        .map(([name, one]) => [name, at(body, one.replace('$response.body#/', ''))] as const)
        .filter(([, value]) => value !== undefined && value !== null),
    );
  for (const link of Object.values<any>(responses[status]?.links ?? {})) {
    const known = filled.get(link.operationId);
    filled.set(link.operationId, {
      parameters: { ...known?.parameters, ...valuesOf(link.parameters) },
      body: { ...known?.body, ...valuesOf(link['x-body']) },
    });
  }
}

/** An example with what answers gave. */
function withFilled(example: any, members: Record<string, unknown> = {}): any {
  const copy = structuredClone(example);
  for (const [pointer, value] of Object.entries(members)) {
    const names = pointer.split('/');
    const last = names.pop()!;
    names.reduce((part, name) => part[name], copy)[last] = value;
  }
  return copy;
}

/** Sends what the page has filled in. */
async function sendPrefilled(
  url: string,
  [address, operation]: [string, any],
  { credential, filled }: { credential: Record<string, string>; filled: Filled },
): Promise<Answer> {
  const [verb, template] = address.split(' ') as [string, string];
  const taken = filled.get(operation.operationId)?.parameters ?? {};
  const given = operation.parameters
    .map((one: any) => ({ ...one, example: taken[one.in === 'query' ? `query.${one.name}` : one.name] ?? one.example }))
    .filter(({ example }: any) => example !== undefined);
  const of = (place: string) => given.filter((one: any) => one.in === place);
  const path = of('path').reduce(
    (text: string, { name, example }: any) => text.replace(`{${name}}`, encodeURIComponent(String(example))),
    template,
  );
  const query = new URLSearchParams(of('query').map(({ name, example }: any) => [name, String(example)]));
  const headers = Object.fromEntries(of('header').map(({ name, example }: any) => [name, example]));
  const [[type, media]] = Object.entries<any>(operation.requestBody?.content ?? { '': {} }) as [[string, any]];
  const value =
    withFilled(media.example, filled.get(operation.operationId)?.body) ??
    Object.values<any>(media.examples ?? {})[0]?.value;
  const body = value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
  const request = replaceIdempotencyKey({ headers, body });
  const contentType: Record<string, string> = type && body !== undefined ? { 'content-type': type } : {};
  return send(url, verb, query.size > 0 ? `${path}?${query.toString()}` : path, request.body, {
    ...credential,
    ...request.headers,
    ...contentType,
  });
}

/** The cookie that an answer sets, as a browser keeps it and sends it back from the page. */
function sessionAfter({ headers }: Answer, origin: string): Record<string, string> | undefined {
  const [cookie] = headers.getSetCookie();
  return cookie === undefined ? undefined : { cookie: cookie.split(';', 1)[0]!, origin };
}

describe('what the page at /docs has filled in', () => {
  it.each([
    ['api', () => api.url, '/openapi.json', () => key],
    ['daemon', () => daemon.url, '/docs/openapi.json', () => ({ 'x-svc-scopes': SCOPES.join(' ') })],
    ['tools', () => tools.url, '/openapi.json', () => key],
  ] as const)(
    'works, sent in the order of the groups, but for what the list has: %s',
    async (server, url, path, credential) => {
      const { body: document } = await send(url(), 'GET', path);
      const refused: string[] = [];
      const filled: Filled = new Map();
      let session: Record<string, string> = {};
      for (const operation of inOrderOfTags(document)) {
        const answer = await sendPrefilled(url(), operation, { credential: { ...credential(), ...session }, filled });
        session = sessionAfter(answer, url()) ?? session;
        fill(filled, operation[1], answer);
        await untilDone(operation[0], answer.body);
        expect([operation[0], answer.status]).not.toEqual([operation[0], 500]);
        if (answer.status >= 400) refused.push(`${operation[0]} | ${reasonOf(answer)}`);
      }
      await expect(`${refused.join('\n')}\n`).toMatchFileSnapshot(join(GOLDEN, `prefilled-${server}.txt`));
    },
  );
});
