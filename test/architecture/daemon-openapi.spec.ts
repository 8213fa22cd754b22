import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flagVariable } from '../../src/common/config/feature-flags.js';
import { classify } from '../../src/common/route-auth/route-class.js';
import type { Access, RouteRecord } from '../../src/common/contract/contract.js';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { PROBLEM_JSON } from '../../src/common/problem/daemon-problem-form.js';
import { send } from '../kit/app.js';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../kit/daemon.js';
import { answerFaults, followed, operationsIn } from '../kit/openapi.js';

let daemon: TestDaemon;
let routes: RouteRecord[];
const texts: Record<string, string> = {};
const documents: Record<string, any> = {};
const BOTH = ['/v1/openapi.json', '/docs/openapi.json'];

beforeAll(async () => {
  daemon = await startDaemon();
  ({ routes } = daemon.app.get(RouteManifest));
  for (const path of BOTH) {
    const { text, body } = await send(daemon.url, 'GET', path);
    texts[path] = text;
    documents[path] = body;
  }
});
afterAll(() => daemon.close());

const templateOf = (path: string) => path.replace(/:(\w+)/g, '{$1}');

const operationsOf = (document: any): Map<string, any> => new Map(operationsIn(document));

/** What a document must say of a scope rule. */
function writtenScopes(access: Access): object | undefined {
  return access.kind === 'scopes' ? { [`${access.rule}_of`]: [...access.scopes] } : undefined;
}

const writtenCredentials = ({ access, peers }: RouteRecord): object[] =>
  access.kind === 'anyone' ? [] : [{ bearer: [] }, { devScopes: [] }, ...(peers ? [{ peerSignature: [] }] : [])];

describe.each(BOTH)('the OpenAPI document at %s', (path) => {
  it('describes every route that it lists and no other', () => {
    const listed = routes.filter(({ unlisted }) => path.startsWith('/docs') || !unlisted);
    const declared = listed.map(({ verb, path: template }) => `${verb} ${templateOf(template)}`);
    expect([...operationsOf(documents[path]).keys()].sort()).toEqual(declared.sort());
  });

  it('declares no 405: an address that does not take a method does not exist for it', () => {
    const declared = [...operationsOf(documents[path]).values()].filter(({ responses }) => '405' in responses);
    expect(declared).toEqual([]);
  });

  it('says of every operation what its declaration says', () => {
    const operations = operationsOf(documents[path]);
    for (const route of routes) {
      const operation = operations.get(`${route.verb} ${templateOf(route.path)}`);
      if (!operation) continue;
      const said = {
        address: route.address,
        scopes: operation['x-scopes'],
        tenantBound: operation['x-tenant-bound'],
        peers: operation['x-peers'],
        routeClass: operation['x-route-class'],
        flag: operation['x-flag'],
        security: new Set(operation.security.map((one: object) => JSON.stringify(one))),
        unlisted: operation['x-unlisted'],
        extension: operation['x-extension'],
      };
      expect(said).toEqual({
        address: route.address,
        scopes: writtenScopes(route.access),
        tenantBound: route.tenantBound,
        peers: route.peers,
        routeClass: classify(route.verb, route.path)?.class,
        flag: route.service ? 'SVCD_ENABLED_PRO_SERVICES' : route.flag && flagVariable(route.flag),
        security: new Set(writtenCredentials(route).map((one) => JSON.stringify(one))),
        unlisted: route.unlisted,
        extension: route.extension,
      });
    }
  });

  it('describes each status that a route declares, failures as problems', () => {
    for (const [address, { responses }] of operationsOf(documents[path])) {
      const route = routes.find(({ verb, path: template }) => `${verb} ${templateOf(template)}` === address)!;
      expect([address, Object.keys(responses)]).toEqual([
        address,
        expect.arrayContaining([route.reply.status, ...route.problems.map(({ status }) => status)].map(String)),
      ]);
      const bare = Object.entries<any>(responses).filter(
        // The size that a witness answers (C2SP tlog-witness) is none.
        ([status, response]) => {
          const { content } = followed(documents[path], response);
          return status >= '4' && !content?.[PROBLEM_JSON] && !content?.['text/x.tlog.size'];
        },
      );
      expect([address, bare.map(([status]) => status)]).toEqual([address, []]);
    }
  });

  it('describes every member of every schema', () => {
    const silent = Object.entries<any>(documents[path].components.schemas).flatMap(([name, schema]) =>
      Object.entries<any>(schema.properties ?? {})
        .filter(([, property]) => !property.description && !property.$ref)
        .map(([member]) => `${name}.${member}`),
    );
    expect(silent).toEqual([]);
  });

  it('describes every parameter, and holds no schema that nothing refers to', () => {
    const silent = [...operationsOf(documents[path])].flatMap(([address, { parameters = [] }]) =>
      parameters.filter(({ description }: any) => !description).map(({ name }: any) => `${address} ${name}`),
    );
    expect(silent).toEqual([]);
    const unused = Object.keys(documents[path].components.schemas).filter(
      (name) => !texts[path]!.includes(`"#/components/schemas/${name}"`),
    );
    expect(unused).toEqual([]);
  });
});

describe('what the daemon answers', () => {
  it('is what its document says: refusals of every route, and the document itself', async () => {
    const document = documents['/docs/openapi.json'];
    const asks: Record<string, string>[] = [
      {},
      { 'x-svc-scopes': ALL_SCOPES },
      { 'x-svc-scopes': 'compute:embed' },
      { 'x-svc-passport-id': 'not one' },
      { origin: 'https://elsewhere.example' },
    ];
    const faults: unknown[] = [];
    for (const { address, verb, path, streams } of routes)
      for (const headers of streams ? asks.slice(2) : asks) {
        const body = verb === 'GET' || verb === 'DELETE' ? undefined : { surprise: 1 };
        const answer = await send(daemon.url, verb, path.replace(/:\w+/g, 'none'), body, headers);
        const found = answerFaults(document, `${verb} ${templateOf(path)}`, answer);
        if (found.length > 0) faults.push([address, headers, found]);
      }
    expect(faults).toEqual([]);
    const enumerated = JSON.stringify(document.components.responses).match(/"enum":\["urn:svc:errors\/[^\]]*/g);
    expect(enumerated?.length).toBe(Object.keys(document.components.responses).length);
  }, 120_000);
});

describe('the route manifest', () => {
  it('leaves out exactly the two legacy rails', () => {
    const [listed, all] = BOTH.map((path) => [...operationsOf(documents[path]).keys()]);
    expect(all!.filter((address) => !listed!.includes(address)).sort()).toEqual([
      'POST /invocation/verify',
      'POST /session',
    ]);
  });
});
