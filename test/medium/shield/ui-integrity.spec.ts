import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { anotherKey, document, expectStatus, mark, resolve, verdict } from './given.js';

let api: TestApi;
let asker: TestTenant;
let approver: TestTenant;
beforeAll(async () => {
  api = await startApi();
  asker = api.tenant;
  approver = await anotherKey(api, asker);
  await mark(asker);
});
afterAll(() => api.close());

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const ask = async (members = {}) =>
  (await asker.call('POST', '/v1/ingest', document(asker, members))).body.approvalRequestId;
const show = async (approvalRequestId: string, tenant = approver) =>
  (await expectStatus(201, tenant.call('POST', '/v1/shield/ui-integrity-sessions', { approvalRequestId }))).body;

it('an approval is bound to the text that was shown', async () => {
  const approvalRequestId = await ask({ title: 'Wire\nTenant: "other"' });
  const session = await show(approvalRequestId);
  const { text, nonce } = session;
  expect(text.split('\n')).toEqual([
    `Approval request ${approvalRequestId}`,
    'Tenant: "acme"',
    `Asked by: "key:${asker.keyId}"`,
    'Action: "POST /v1/ingest"',
    'Server: none',
    'Tool definition: none',
    'Policy version: 2',
    'Spends at most: not said',
    'Why: "Imports are reviewed"',
    expect.stringMatching(/^Asked at: \d{4}-.*Z$/),
    expect.stringMatching(/^Expires at: \d{4}-.*Z$/),
    `Nonce: ${nonce}`,
    expect.stringMatching(/^Arguments \(sha256:[0-9a-f]{64}\):$/),
    expect.stringContaining(String.raw`"title":"Wire\nTenant: \"other\""`),
    '',
  ]);
  expect(session).toMatchObject({ status: 'open', shownDigest: sha256(text), openedBy: `key:${approver.keyId}` });
  const signedOff = { uiIntegritySessionId: session.uiIntegritySessionId, shownDigest: sha256(text) };
  const given = await resolve(approver, approvalRequestId, signedOff);
  expect([given.status, given.body.uiIntegritySessionId]).toEqual([200, session.uiIntegritySessionId]);
  const { body } = await approver.call(
    'GET',
    `/v1/shield/ui-integrity-sessions?approvalRequestId=${approvalRequestId}`,
  );
  expect(body.uiIntegritySessions).toMatchObject([{ status: 'used', closedAt: expect.any(String) }]);
});

it('a sign-off of any other text is refused, stored and reported', async () => {
  const approvalRequestId = await ask();
  const session = await show(approvalRequestId);
  const { uiIntegritySessionId } = session;
  const shownDigest = sha256(session.text.replace('notes', 'n0tes'));
  const refused = await resolve(approver, approvalRequestId, { uiIntegritySessionId, shownDigest });
  expect(verdict(refused)).toBe('409 UiIntegrityMismatch');
  const again = await resolve(approver, approvalRequestId, { uiIntegritySessionId, shownDigest: session.shownDigest });
  expect(verdict(again)).toBe('409 UiIntegrityMismatch');
  expect(
    (await approver.call('GET', '/v1/shield/ui-integrity-sessions?status=mismatched')).body.uiIntegritySessions,
  ).toMatchObject([{ uiIntegritySessionId, mismatchDigest: shownDigest }]);
  const events = await api.database.query<{ data: any }>(
    `select data from outbox_event where kind = 'shield.ui_integrity_mismatch' and subject = $1 order by position`,
    [uiIntegritySessionId],
  );
  expect(events[0]!.data).toMatchObject({ approvalRequestId, expected: session.shownDigest, received: shownDigest });
  expect((await approver.call('GET', `/v1/shield/approvals/${approvalRequestId}`)).body.status).toBe('pending');
});

it('a session of another request, of another owner, or of nobody is none', async () => {
  const approvalRequestId = await ask();
  const elsewhere = await show(await ask());
  const theirs = await show(approvalRequestId, await anotherKey(api, asker));
  for (const { uiIntegritySessionId, shownDigest } of [elsewhere, theirs])
    expect(verdict(await resolve(approver, approvalRequestId, { uiIntegritySessionId, shownDigest }))).toBe(
      '409 UiIntegrityMismatch',
    );
  const nobody = { uiIntegritySessionId: crypto.randomUUID(), shownDigest: theirs.shownDigest };
  expect(verdict(await resolve(approver, approvalRequestId, nobody))).toBe('404 UiIntegrityUnknown');
  const half = await resolve(approver, approvalRequestId, { shownDigest: theirs.shownDigest });
  expect(half.body.issues[0].path).toBe('body.uiIntegritySessionId');
  await resolve(approver, approvalRequestId, { decision: 'reject' });
  const late = await approver.call('POST', '/v1/shield/ui-integrity-sessions', { approvalRequestId });
  expect(verdict(late)).toBe('409 ApprovalNotPending');
  expect(late.body).toMatchObject({ status: 409, approvalStatus: 'rejected' });
});
