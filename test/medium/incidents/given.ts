import { expect } from 'vitest';
import type { TestTenant } from '../../kit/app.js';
import type { DaemonCall } from '../../kit/daemon.js';

export interface Edge {
  from: { kind: string; id: string };
  edge: string;
  to: { kind: string; id: string };
}

/** An incident of the tenant. @returns its address */
export async function openIncident(call: DaemonCall, tenantId: string, more: object = {}): Promise<string> {
  const window = { from: new Date(Date.now() - 3_600_000).toISOString() };
  const { status, body } = await call('POST', '/v1/incidents', {
    tenant_id: tenantId,
    title: 'Poison',
    window,
    ...more,
  });
  expect([status, body.detail]).toEqual([200, undefined]);
  return `/v1/incidents/${body.case.incident_id}`;
}

/** A walk, and what it did. */
export async function walk(call: DaemonCall, incident: string, request: object): Promise<any> {
  const { status, body } = await call('POST', `${incident}/blast-radius`, request);
  expect([status, body.detail, request]).toEqual([200, undefined, request]);
  return body;
}

/** Every item of a list that is read page by page. */
export async function allOf(call: DaemonCall, path: string, list: string, limit = 200): Promise<any[]> {
  const found: any[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`);
    expect([status, body.detail]).toEqual([200, undefined]);
    found.push(...body[list]);
    if (body.next_cursor === null) return found;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

/** Walks exported edges by itself: what can be reached from the root, as `kind id`. */
export function reachable(root: string, edges: readonly Edge[]): Set<string> {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const name = `${from.kind} ${from.id}`;
    next.set(name, [...(next.get(name) ?? []), `${to.kind} ${to.id}`]);
  }
  const seen = new Set([root]);
  const queue = [root];
  for (let name = queue.pop(); name !== undefined; name = queue.pop())
    for (const other of next.get(name) ?? [])
      if (!seen.has(other)) {
        seen.add(other);
        queue.push(other);
      }
  return seen;
}

/** A fact of the daemon. @returns it as it was stored */
export async function givenFact(call: DaemonCall, key: string, more: object = {}): Promise<any> {
  const { status, body } = await call('PUT', '/v1/facts', { entity: 'notes', key, value: `about ${key}`, ...more });
  expect([status, body.detail]).toEqual([201, undefined]);
  return body;
}

/** Titles that a search of the tenant finds. */
export async function foundBy(tenant: TestTenant, query: string, corpusId: string): Promise<string[]> {
  const { body } = await tenant.call('POST', '/v1/retrieve', { query, corpusIds: [corpusId] });
  return body.results.map(({ docId }: any) => docId);
}
