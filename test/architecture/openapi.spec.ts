import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RouteRecord } from '../../src/common/contract/contract.js';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { send, startApi, type TestApi } from '../kit/app.js';
import { answerFaults, operationsIn } from '../kit/openapi.js';

let api: TestApi;
let document: any;
beforeAll(async () => {
  api = await startApi();
  ({ body: document } = await send(api.url, 'GET', '/openapi.json'));
});
afterAll(() => api.close());

const operations = () => operationsIn(document);

/** The credentials by which a route can be called, as the names of security schemes. */
function credentialsOf({ access }: RouteRecord): string[] {
  if (access.kind === 'anyone') return [];
  if (access.kind === 'agent') return ['selfSignup'];
  if (access.kind === 'tool') return ['tenantId+apiKey', ...(access.bearerKeys ? ['bearerKey'] : [])];
  if (access.kind !== 'seats') throw new Error(`this is a route for ${access.kind}`);
  if (access.session) return ['session'];
  const forAgents = access.discovery || access.roles.includes('member');
  return ['tenantId+apiKey', 'session', ...(forAgents ? ['selfSignup'] : [])];
}

/** A route's address as OpenAPI writes it; the one wildcard is called path. */
const templateOf = (address: string) => address.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}');

describe('the OpenAPI document', () => {
  it('describes every route of the manifest and no other', () => {
    const described = operations().map(([address]) => address);
    const declared = api.app.get(RouteManifest).routes.map(({ address }) => templateOf(address));
    expect(described.sort()).toEqual(declared.sort());
  });

  it('says of every operation what its guard enforces', () => {
    for (const route of api.app.get(RouteManifest).routes) {
      const operation = operations().find(([address]) => address === templateOf(route.address))?.[1];
      expect([route.address, operation['x-seat-roles']]).toEqual([
        route.address,
        route.access.kind === 'seats' ? [...route.access.roles] : undefined,
      ]);
      expect([route.address, new Set(operation.security.map((one: object) => Object.keys(one).join('+')))]).toEqual([
        route.address,
        new Set(credentialsOf(route)),
      ]);
      expect([route.address, operation['x-paid-tier']]).toEqual([route.address, route.paidTier]);
      const asksForKey = (operation.parameters ?? []).some(
        (parameter: any) => parameter.name === 'x-idempotency-key' && parameter.required,
      );
      expect([route.address, asksForKey]).toEqual([route.address, route.idempotent]);
    }
  });

  it('says what is answered: refusals of every route, with and without a credential', async () => {
    const faults: unknown[] = [];
    const asks: Record<string, string>[] = [
      {},
      { 'x-tenant-id': api.tenant.tenantId, 'x-api-key': api.tenant.apiKey },
      { origin: 'https://a.example' },
    ];
    for (const { address, verb, path } of api.app.get(RouteManifest).routes)
      for (const headers of asks) {
        const body = verb === 'GET' || verb === 'DELETE' ? undefined : { surprise: 1 };
        const answer = await send(api.url, verb, path.replace(/:\w+|\*$/g, 'none'), body, headers);
        const found = answerFaults(document, templateOf(address), answer);
        if (found.length > 0) faults.push([address, headers, found]);
      }
    expect(faults).toEqual([]);
  }, 120_000);

  it('describes every member of every schema', () => {
    const silent = Object.entries<any>(document.components.schemas).flatMap(([name, schema]) =>
      Object.entries<any>(schema.properties ?? {})
        .filter(([, property]) => !property.description && !property.$ref)
        .map(([member]) => `${name}.${member}`),
    );
    expect(silent).toEqual([]);
  });
});
