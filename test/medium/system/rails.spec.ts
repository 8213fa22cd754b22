import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceService } from '../../../src/common/evidence-log/evidence.service.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { signReceipt } from '../../../src/evidence/receipt.js';
import { SigningKey } from '../../../src/evidence/signing-key.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_ROUTE_AUTH: 'enforce' } });
});
afterAll(() => daemon.close());
const post = (path: string, body?: unknown) => send(daemon.url, 'POST', path, body);

/** A receipt of the tenant `default`, in the log. */
async function receipt(): Promise<{ receiptId: string; payloadHash: string; cose: string }> {
  const evidence = daemon.app.get(EvidenceService, { strict: false });
  const event = { kind: 'test.happened', actor: 'sub:test', subject: 's', body: { secret: 'x' }, authMode: 'off' };
  const { receiptId } = await daemon.app.get(Tenancy).run('default', () => evidence.record(event));
  await daemon.app.get(LogSequencer, { strict: false }).integrate();
  const sealed = await daemon.app.get(Tenancy).run('default', () => evidence.read(receiptId));
  return { receiptId, payloadHash: sealed.payloadHash, cose: Buffer.from(sealed.cose).toString('base64') };
}

describe('the legacy rails', () => {
  it('are served without a credential and described in /docs, but are not in the manifest', async () => {
    const manifest = Object.keys((await send(daemon.url, 'GET', '/v1/openapi.json')).body.paths);
    const documented = Object.keys((await send(daemon.url, 'GET', '/docs/openapi.json')).body.paths);
    for (const rail of ['/session', '/invocation/verify']) {
      expect(manifest).not.toContain(rail);
      expect(documented).toContain(rail);
    }
  });
});

describe('POST /session', () => {
  it('reports the MCP channel on port 14800, as it always did', async () => {
    const { status, body } = await post('/session');
    expect([status, body]).toEqual([
      200,
      {
        session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        protocol: 'svc-session/1',
        opened_at: expect.any(String),
        channels: {
          http: { port: Number(new URL(daemon.url).port), path: '/v1' },
          mcp: { port: 14800, path: '/mcp' },
        },
        note: expect.stringContaining('POST /mcp'),
      },
    ]);
    expect((await daemon.call('POST', '/mcp', {})).status).toBe(403);
  });

  it('says so where MCP is not served', async () => {
    const without = await startDaemon({ env: { SVCD_MCP_ENABLED: '0' }, database: daemon.database });
    try {
      const { body } = await send(without.url, 'POST', '/session');
      expect([body.channels.mcp.port, body.note]).toEqual([14800, expect.stringContaining('SVCD_MCP_ENABLED')]);
    } finally {
      await without.close();
    }
  });

  it('takes whatever older clients send', async () => {
    expect((await post('/session', { client: 'old', capabilities: ['x'] })).status).toBe(200);
    expect((await post('/session', '{"not json')).status).toBe(400);
  });
});

describe('POST /invocation/verify', () => {
  it('says of a receipt as sent that it was signed here and is in the log, and nothing of its content', async () => {
    const { receiptId, payloadHash, cose } = await receipt();
    const { status, body, text } = await post('/invocation/verify', {
      cose,
      receipt_id: receiptId,
      payload_hash: payloadHash,
    });
    expect([status, body.valid]).toEqual([200, true]);
    expect(body).toMatchObject({ receipt_id: receiptId, payload_hash: payloadHash, leaf_index: expect.any(Number) });
    expect(body.checks.map(({ name, ok }: any) => [name, ok])).toEqual(
      ['signature', 'key_validity', 'log_inclusion', 'receipt_id', 'payload_hash'].map((name) => [name, true]),
    );
    expect(text).not.toContain('default');
    expect(text).not.toContain('secret');
  });

  it('sees any changed byte, and what is said wrongly of a good receipt', async () => {
    const { cose } = await receipt();
    const bytes = Buffer.from(cose, 'base64');
    bytes[bytes.length - 1]! ^= 1;
    const changed = await post('/invocation/verify', { cose: bytes.toString('base64url') });
    expect([changed.status, changed.body.valid, changed.body.leaf_index]).toEqual([200, false, null]);
    const other = await receipt();
    const { body } = await post('/invocation/verify', { cose, receipt_id: other.receiptId });
    expect([body.valid, body.checks.filter(({ ok }: any) => !ok).map(({ name }: any) => name)]).toEqual([
      false,
      ['receipt_id'],
    ]);
  });

  it('trusts no key of another log', async () => {
    const event = { kind: 'k', tenant_id: 't', stream: 'main', seq: 1, prev: null, actor: 'a', subject: 's' };
    const fields = { ...event, occurred_at: new Date().toISOString(), auth_mode: 'off', body: {} };
    const foreign = signReceipt(fields, SigningKey.generate());
    const { body } = await post('/invocation/verify', { cose: Buffer.from(foreign.cose).toString('base64') });
    expect([body.valid, body.checks.map(({ name, ok }: any) => [name, ok])]).toEqual([
      false,
      [
        ['signature', false],
        ['log_inclusion', false],
      ],
    ]);
  });

  it.each([
    ['nothing', {}],
    ['no base64', { cose: '???' }],
    ['no receipt', { cose: 'AAAA' }],
    ['no text', { cose: 7 }],
    ['another member', { cose: 'AAAA', tenant_id: 'default' }],
    ['a wrong id', { cose: 'AAAA', receipt_id: 'x' }],
  ])('answers 400 to %s', async (_, body) => {
    expect((await post('/invocation/verify', body)).status).toBe(400);
  });
});
