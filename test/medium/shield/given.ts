import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { caller, send, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import type { TestTools } from '../../kit/tools.js';

/** Another key of a tenant: an owner who is another principal. */
export async function anotherKey(api: TestApi, tenant: TestTenant): Promise<TestTenant> {
  const { keyId, key } = await TenantsStore.using({ ownerUrl: api.database.url }, (store) =>
    store.createKey(tenant.tenantId),
  );
  return { ...tenant, keyId, apiKey: key.apiKey, call: caller(api.url, tenant.tenantId, key.apiKey) };
}

let documents = 0;
/** An ingest of a document of its own. */
export const document = (tenant: TestTenant, members: object = {}) => ({
  tenantId: tenant.tenantId,
  corpusId: 'notes',
  docId: `doc-${++documents}`,
  title: 'T',
  content: 'The lighthouse was lit.',
  url: 'https://example.org/',
  ...members,
});

export const mark = (tenant: TestTenant, target = 'POST /v1/ingest', mode = 'require_approval'): Promise<Answer> =>
  expectStatus(
    201,
    tenant.call('POST', '/v1/shield/kill-switches', { scope: 'action', target, mode, reason: 'Imports are reviewed' }),
  );

export const lift = (tenant: TestTenant, { body }: Answer): Promise<Answer> =>
  expectStatus(200, tenant.call('DELETE', `/v1/shield/kill-switches/${body.killSwitchId}?reason=over`));

export async function expectStatus(status: number, asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}: ${answer.text}`);
  return answer;
}

export const resolve = (tenant: TestTenant, approvalRequestId: string, body: object = {}): Promise<Answer> =>
  tenant.call('POST', `/v1/shield/approvals/${approvalRequestId}/resolve`, {
    decision: 'approve',
    reason: 'Looks right',
    ...body,
  });

/** Asks, is refused, and gets the approval of another owner. */
export async function approved(asker: TestTenant, approver: TestTenant, body: object): Promise<string> {
  const refused = await expectStatus(403, asker.call('POST', '/v1/ingest', body));
  return (await expectStatus(200, resolve(approver, refused.body.approvalRequestId))).body.approvalToken;
}

export const withToken = (token: string, headers: Record<string, string> = {}) => ({
  'x-shield-approval-token': token,
  ...headers,
});

/** Looks until it is so, for as long as the product promises, with slack. */
export async function within(ms: number, look: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    if (await look()) return true;
    await setTimeout(10);
  }
  return false;
}

export const verdict = ({ status, body }: Answer) =>
  body?.denial
    ? `${status} ${body.type} ${body.denial.type} ${body.denial.cause ?? ''}`.trim()
    : `${status} ${body?.type ?? ''}`.trim();

/** Runs a drill to its end. */
export async function drill(acme: TestTenant, kind: string): Promise<any> {
  const { body } = await expectStatus(
    202,
    acme.call('POST', '/v1/shield/incident-drills', { kind, reason: 'Tuesday' }),
  );
  let found: any;
  const isOver = await within(20_000, async () => {
    const { incidentDrills } = (await acme.call('GET', `/v1/shield/incident-drills?kind=${kind}`)).body;
    found = incidentDrills.find(({ drillId }: any) => drillId === body.drillId);
    return ['completed', 'failed'].includes(found.status);
  });
  if (!isOver) throw new Error(`the drill did not end: ${JSON.stringify(found)}`);
  return found;
}

export const POLICY_OFF = {
  requireServerId: false,
  requireToolDigest: false,
  requireRegistered: false,
  requireUiIntegrity: false,
  spendWindow: null,
};
export const putPolicy = (tenant: TestTenant, members: object): Promise<Answer> =>
  tenant.call('PUT', '/v1/shield/policy', { reason: 'Reviewed', ...members });
export const setPolicy = (tenant: TestTenant, members: object) => expectStatus(200, putPolicy(tenant, members));

/** The headers of a call that names a server, a tool definition, or both. */
export const through = (serverId?: string, toolDigest?: string): Record<string, string> => ({
  ...(serverId === undefined ? {} : { 'x-shield-server-id': serverId }),
  ...(toolDigest === undefined ? {} : { 'x-shield-tool-digest': toolDigest }),
});
export const newDigest = () => `sha256:${randomBytes(32).toString('hex')}`;
export const trust = (tenant: TestTenant, path: string, body: object) =>
  expectStatus(201, tenant.call('POST', `/v1/shield/${path}`, { reason: 'r', ...body }));

/** A call of a tool by the tool service: `ok`, or what refused it. */
export async function callByRpc(
  { url }: TestTools,
  { tenantId, apiKey }: TestTenant,
  method: string,
  params: object,
): Promise<{ words: string; data: any }> {
  const asked = { jsonrpc: '2.0', id: 1, method, params };
  const headers = { 'x-tenant-id': tenantId, 'x-api-key': apiKey };
  const { result, error } = (await send(url, 'POST', '/rpc', asked, headers)).body;
  const words = result ? 'ok' : [error.data.type, error.data.denial?.type].filter(Boolean).join(' ');
  return { words, data: error?.data };
}
