import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_OBSERVE: '1' } });
  ({ call } = daemon);
});
afterAll(() => daemon.close());

const NEEDED = { label: 'Look up the order', actor: 'agent:support', ts_start: '2026-11-23T09:00:00Z' };
const steps = (session: string) => `/v1/observe/sessions/${session}/steps`;
const open = async (session: string, more: object = {}, by: DaemonCall = call): Promise<any> => {
  const { status, body } = await by('POST', steps(session), { ...NEEDED, ...more });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.node;
};
const close = (session: string, node: string, body: object = {}, by: DaemonCall = call) =>
  by('PATCH', `${steps(session)}/${node}`, body);
const audit = (session: string, query = '', by: DaemonCall = call) =>
  by('GET', `/v1/observe/sessions/${session}/audit${query}`);
const receiptsOf = (session: string) =>
  daemon.database.query<{ kind: string; subject: string; session: string }>(
    `select kind, subject, session from receipt where stream = 'observe/${session}' order by seq`,
  );
const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

describe('a step', () => {
  it('is opened with a receipt, and is private unless it says otherwise', async () => {
    const node = await open('s1', { node_id: 'n1' });
    expect(node).toEqual({
      ...{ node_id: 'n1', session_id: 's1', parent_id: null, depth: 0 },
      ...{ label: 'Look up the order', actor: 'agent:support', kind: 'other', risk_class: 'minimal', status: 'open' },
      ...{ private: true, withheld: false, inputs: [], outputs: [], enrich_ref: null, reasoning_ref: null },
      ...{ receipt_id: null, mutation_receipt_id: null, ts_start: '2026-11-23T09:00:00.000Z', ts_end: null },
      ...{ auto: false, open_receipt: expect.any(String), close_receipt: null, salt: expect.any(String) },
    });
    expect(await receiptsOf('s1')).toEqual([{ kind: 'step.opened', subject: 'n1', session: 's1' }]);
    const { body } = await call('GET', `/v1/receipts/${node.open_receipt}/verification?tenant_id=default`);
    expect(body).toMatchObject({ verified: true, error_code: 'OK' });
  });

  it('is closed with all that the close adds, which the audit shows', async () => {
    const fact = (await call('PUT', '/v1/facts', { entity: 'order:1', key: 'state', value: 'paid' })).body;
    await open('s2', { node_id: 'n1', kind: 'tool', risk_class: 'high', enrich_ref: 'trace/7' });
    const closing = {
      outputs: [{ kind: 'fact', ref: fact.fact_id }],
      ...{ receipt_id: fact.receipt_id, mutation_receipt_id: fact.receipt_id },
      ...{ ts_end: '2026-11-23T10:00:01.5+01:00', status: 'error', reasoning_ref: 'notes/7' },
    };
    const { status, body } = await close('s2', 'n1', closing);
    expect([status, body.node]).toEqual([200, expect.objectContaining({ status: 'error' })]);
    expect(body.node).toMatchObject({ ...closing, ts_end: '2026-11-23T09:00:01.500Z', outputs: expect.any(Array) });
    const shown = (await audit('s2')).body;
    expect(shown).toMatchObject({ session_id: 's2', count: 1, has_more: false, schema: 'svc.observe.audit/1' });
    expect(shown.steps).toEqual([{ ...body.node, has_children: false }]);
    expect((await receiptsOf('s2')).map(({ kind }) => kind)).toEqual(['step.opened', 'step.closed']);
  });

  it('ends ok and now where nothing is said', async () => {
    await open('s3', { node_id: 'n1' });
    const { node } = (await close('s3', 'n1')).body;
    expect(node).toMatchObject({ status: 'ok', ts_end: expect.stringMatching(/Z$/) });
  });

  it('is answered again when the same is sent again, and leaves no second receipt', async () => {
    const first = await open('s4', { node_id: 'n1', inputs: [{ kind: 'text', text: 'one' }] });
    expect(await open('s4', { node_id: 'n1', inputs: [{ kind: 'text', text: 'one' }] })).toEqual(first);
    const other = await call('POST', steps('s4'), { ...NEEDED, node_id: 'n1', label: 'Another' });
    expect([other.status, other.body.type]).toEqual([409, 'urn:svc:errors/observe-step-known']);
    const closed = (await close('s4', 'n1', { status: 'denied' })).body;
    expect((await close('s4', 'n1', { status: 'denied' })).body).toEqual(closed);
    expect((await close('s4', 'n1', { status: 'ok' })).status).toBe(409);
    expect(await receiptsOf('s4')).toHaveLength(2);
  });

  it('is opened once by many who open it at the same time', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => open('s5', { node_id: 'n1', auto: true })));
    expect(new Set(all.map(({ open_receipt: id }) => id)).size).toBe(1);
    expect(await receiptsOf('s5')).toHaveLength(1);
  });

  it.each([
    [{ label: undefined }, 'body.label'],
    [{ actor: undefined }, 'body.actor'],
    [{ ts_start: undefined }, 'body.ts_start'],
    [{ ts_start: 'yesterday' }, 'body.ts_start'],
    [{ kind: 'wish' }, 'body.kind'],
    [{ risk_class: 'unacceptable' }, 'body.risk_class'],
    [{ node_id: 'a b' }, 'body.node_id'],
    [{ parent_id: 'nowhere' }, 'body.parent_id'],
    [{ parent_id: 'x', node_id: 'x' }, 'body.parent_id'],
    [{ inputs: {} }, 'body.inputs'],
    [{ inputs: [{ kind: 'text' }] }, 'body.inputs[0]'],
    [{ inputs: [{ kind: 'text', text: 'a', digest: `sha256:${'0'.repeat(64)}` }] }, 'body.inputs[0].digest'],
    [{ inputs: [{ kind: 'text', text: 'a', bytes: 2 }] }, 'body.inputs[0].bytes'],
    [{ inputs: [{ kind: 'text', digest: 'md5:1' }] }, 'body.inputs[0].digest'],
    [{ auto: true, parent_id: 'x' }, 'body.auto'],
    [{ private: 'no' }, 'body.private'],
    [{ extra: 1 }, 'body.extra'],
  ])('is refused as %j, by the member', async (body, path) => {
    const answer = await call('POST', steps('refused'), { ...NEEDED, ...body });
    expect([answer.status, answer.body.issues?.[0].path]).toEqual([400, path]);
  });

  it.each([
    [{ status: 'open' }, 'body.status'],
    [{ ts_end: '2026-11-23T08:59:59Z' }, 'body.ts_end'],
    [{ receipt_id: '00000000-0000-7000-8000-000000000000' }, 'body.receipt_id'],
    [{ mutation_receipt_id: 'anything' }, 'body.mutation_receipt_id'],
    [{ outputs: [{ kind: 'text' }] }, 'body.outputs[0]'],
  ])('is not closed by %j', async (body, path) => {
    await open('s6', { node_id: 'n1' });
    const answer = await close('s6', 'n1', body);
    expect([answer.status, answer.body.issues?.[0].path]).toEqual([400, path]);
  });

  it('that is not there is 404, and so is the session', async () => {
    await open('s7', { node_id: 'n1' });
    expect((await close('s7', 'other')).body.type).toBe('urn:svc:errors/observe-step-unknown');
    expect((await close('nowhere', 'n1')).status).toBe(404);
    expect((await audit('nowhere')).status).toBe(404);
    expect((await audit('not a session'.replaceAll(' ', '%20'))).status).toBe(400);
  });

  it('takes no character that no text has', async () => {
    const answer = await call('POST', steps('s8'), { ...NEEDED, inputs: [{ kind: 'text', text: 'a\0b' }] });
    expect([answer.status, answer.body.issues?.[0].path ?? answer.body.detail]).toEqual([
      400,
      expect.stringContaining('body'),
    ]);
  });
});

describe('a private step', () => {
  it('is shown whole to its owner and to admin scopes alone', async () => {
    const mine = daemon.as({ scopes: 'facts:read facts:write', passport: 'me' });
    const other = daemon.as({ scopes: 'facts:read facts:write', passport: 'other' });
    await open('p1', { node_id: 'secret', inputs: [{ kind: 'text', text: 'of mine' }] }, mine);
    await open('p1', { node_id: 'shared', private: false, inputs: [{ kind: 'text', text: 'of all' }] }, mine);
    const shown = async (by: DaemonCall) =>
      (await audit('p1', '', by)).body.steps.map(({ withheld, inputs, label }: any) => [
        withheld,
        inputs.length,
        label,
      ]);
    expect(await shown(mine)).toEqual([
      [false, 1, NEEDED.label],
      [false, 1, NEEDED.label],
    ]);
    expect(await shown(call)).toEqual(await shown(mine));
    expect(await shown(other)).toEqual([
      [true, 0, '(private)'],
      [false, 1, NEEDED.label],
    ]);
    expect((await close('p1', 'secret', {}, other)).status).toBe(404);
    expect((await close('p1', 'shared', {}, other)).status).toBe(200);
  });
});

describe('two tenants', () => {
  it('see nothing of each other', async () => {
    const [a, b] = ['t-a', 't-b'].map((tenant) => daemon.as({ scopes: ALL_SCOPES, tenant }));
    await open('both', { node_id: 'n1', label: 'of a' }, a);
    expect((await audit('both', '', b)).status).toBe(404);
    await open('both', { node_id: 'n1', label: 'of b' }, b);
    expect((await audit('both', '', a)).body.steps.map(({ label }: any) => label)).toEqual(['of a']);
    const fact = (await a!('PUT', '/v1/facts', { entity: 'e', key: 'k', value: 'v' })).body;
    expect((await close('both', 'n1', { receipt_id: fact.receipt_id }, b)).status).toBe(400);
  });
});

describe('the tree', () => {
  beforeAll(async () => {
    for (const [node_id, parent_id] of [['r1'], ['a', 'r1'], ['b', 'a'], ['r2'], ['c', 'r1'], ['d', 'b']])
      await open('tree', { node_id, ...(parent_id && { parent_id }) });
  });
  const ids = async (query: string) => (await audit('tree', query)).body.steps.map(({ node_id }: any) => node_id);

  it.each([
    ['', ['r1', 'a', 'b', 'd', 'c', 'r2']],
    ['?depth=1', ['r1', 'r2']],
    ['?depth=2', ['r1', 'a', 'c', 'r2']],
    ['?parent_id=r1', ['a', 'b', 'd', 'c']],
    ['?parent_id=r1&depth=1', ['a', 'c']],
    ['?parent_id=r1&depth=2', ['a', 'b', 'c']],
    ['?parent_id=d', []],
  ])('is listed by %s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: any = (await audit('tree', `${query || '?'}&limit=2${cursor && `&cursor=${cursor}`}`)).body;
      seen.push(...page.steps.map(({ node_id }: any) => node_id));
      expect(page.has_more).toBe(page.next_cursor !== null);
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(expected);
  });

  it.each(['?parent_id=nowhere', '?depth=0', '?depth=65', '?cursor=x', '?limit=0', '?other=1'])(
    'is not listed by %s',
    async (query) => {
      expect((await audit('tree', query)).status).toBe(400);
    },
  );

  it('is no deeper than 64 steps', async () => {
    let parent_id: string | undefined;
    for (let depth = 0; depth < 64; depth += 1)
      parent_id = (await open('deep', { node_id: `n${depth}`, ...(parent_id && { parent_id }) })).node_id;
    const answer = await call('POST', steps('deep'), { ...NEEDED, parent_id });
    expect([answer.status, answer.body.issues[0].path]).toEqual([400, 'body.parent_id']);
    expect((await audit('deep', '?limit=200')).body.count).toBe(64);
  });
});

describe('what is kept of a text', () => {
  const kept = async (env: Record<string, string>, inputs: object[], session: string) => {
    const other = await startDaemon({ database: daemon.database, env: { SVCD_OBSERVE: '1', ...env } });
    try {
      const node = await open(
        session,
        { inputs, label: 'mail bob@example.org', enrich_ref: 'see bob@example.org' },
        other.call,
      );
      return { node, inputs: node.inputs };
    } finally {
      await other.close();
    }
  };
  const TEXT =
    'Write to bob@example.org, pay DE89 3704 0044 0532 0130 00, key 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';

  it('is masked, with the digest of what came, unless the setting says otherwise', async () => {
    const { node, inputs } = await kept(
      {},
      [
        { kind: 'text', text: TEXT },
        { kind: 'url', ref: 'https://a:hunter2@x.org/' },
      ],
      'k1',
    );
    expect(inputs[0]).toEqual({
      ...{ kind: 'text', ref: null, bytes: Buffer.byteLength(TEXT), digest: sha256(TEXT) },
      text: 'Write to [email], pay [iban], key [secret:github-token]',
    });
    expect(inputs[1].ref).not.toContain('hunter2');
    expect([node.label, node.enrich_ref]).toEqual(['mail [email]', 'see [email]']);
    expect(JSON.stringify(await daemon.database.query('select * from observe_step'))).not.toContain('ghp_');
  });

  it('is its digest and size alone in strict', async () => {
    const { node, inputs } = await kept(
      { SVCD_OBSERVE_REDACT: 'strict' },
      [
        { kind: 'text', text: TEXT },
        { kind: 'file', ref: '/home/bob/x' },
        { kind: 'fact', ref: 'f1' },
      ],
      'k2',
    );
    expect(inputs).toEqual([
      { kind: 'text', ref: null, digest: sha256(TEXT), text: null, bytes: Buffer.byteLength(TEXT) },
      { kind: 'file', ref: sha256('/home/bob/x'), digest: null, text: null, bytes: null },
      { kind: 'fact', ref: 'f1', digest: null, text: null, bytes: null },
    ]);
    expect(node.label).toBe('mail [email]');
  });

  it('is all of it where that is switched off', async () => {
    const { inputs } = await kept({ SVCD_OBSERVE_REDACT: 'off' }, [{ kind: 'text', text: TEXT }], 'k3');
    expect(inputs[0].text).toBe(TEXT);
  });

  it('is digest and size alone above 4 KiB', async () => {
    const { inputs } = await kept(
      {},
      ['é'.repeat(2048), 'é'.repeat(2049)].map((text) => ({ kind: 'text', text })),
      'k4',
    );
    expect(inputs.map(({ text, bytes }: { text?: string; bytes: number }) => [text?.length, bytes])).toEqual([
      [2048, 4096],
      [undefined, 4098],
    ]);
    expect(inputs[1].digest).toBe(sha256('é'.repeat(2049)));
  });
});
