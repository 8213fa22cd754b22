import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/evidence/sha256.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { ECHO, running, TRAP } from '../../kit/wat.js';
import { force, must } from '../work/given.js';

const PATH = '/v1/extensions';
let daemon: TestDaemon;
let without: TestDaemon;
beforeAll(async () => {
  const env = { SVCD_EXTENSION_CALLS_PER_MINUTE: '5' };
  daemon = await startDaemon({ env: { ...env, SVC_BUILD_FEATURES: 'wasm-extensions' } });
  without = await startDaemon({ env, database: daemon.database });
});
afterAll(async () => {
  await without.close();
  await daemon.close();
});

const of = (tenant: string, passport = 'ada', on = daemon): DaemonCall =>
  on.as({ scopes: ALL_SCOPES, tenant, passport });
const wasm = (extension_id: string, module: Buffer, more: object = {}) => ({
  ...{ extension_id, kind: 'wasm', module_base64: module.toString('base64') },
  ...more,
});

/** Registers and enables. */
async function enabled(by: DaemonCall, body: { extension_id: string }): Promise<any> {
  const answer = await by('POST', PATH, body);
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  const { extension } = answer.body;
  return must(by('POST', `${PATH}/${body.extension_id}/enable`, { digest: extension.digest }));
}
const dispatch = (by: DaemonCall, id: string, body: object = {}) => by('POST', `${PATH}/${id}/dispatch`, body);

describe('an extension', () => {
  it('is registered disabled, enabled by its digest, called, disabled and deleted, each with a receipt', async () => {
    const acme = of('acme');
    const digest = sha256(ECHO).toString('hex');
    const registered = await acme('POST', PATH, wasm('echo', ECHO, { digest, description: 'Says it again.' }));
    expect(registered.status).toBe(201);
    expect(registered.body.extension).toEqual({
      ...{ extension_id: 'echo', display_name: 'echo', description: 'Says it again.', kind: 'wasm', digest },
      ...{ module_bytes: ECHO.length, tool: null, arguments: null, enabled: false, registered_by: 'passport:ada' },
      ...{ registered_at: expect.any(String), enabled_at: null, changed_by: null },
    });
    expect((await dispatch(acme, 'echo')).body).toMatchObject({ status: 409, code: 'EXTENSION_DISABLED' });
    const other = await acme('POST', `${PATH}/echo/enable`, { digest: 'ab'.repeat(32) });
    expect(other.body).toMatchObject({ status: 409, code: 'EXTENSION_DIGEST_MISMATCH', digest });
    const enabling = await must(acme('POST', `${PATH}/echo/enable`, { digest }));
    expect(enabling.extension).toMatchObject({ enabled: true, changed_by: 'passport:ada' });
    expect((await must(acme('POST', `${PATH}/echo/enable`, { digest }))).receipt_id).toBeNull();

    const result = await must(dispatch(acme, 'echo', { input: { say: 'hällo' }, digest }));
    expect(result).toMatchObject({ extension_id: 'echo', digest, output: { say: 'hällo' }, logs: [] });
    const salt = Buffer.from(result.salt, 'hex');
    const bytes = Buffer.from('{"say":"hällo"}');
    expect(Buffer.from(result.output_base64, 'base64')).toEqual(bytes);
    expect([result.input_digest, result.output_digest]).toEqual(Array(2).fill(sha256(salt, bytes).toString('hex')));

    const disabling = await must(acme('POST', `${PATH}/echo/disable`));
    expect((await dispatch(acme, 'echo')).status).toBe(409);
    const deletion = await must(acme('DELETE', `${PATH}/echo`));
    expect((await acme('GET', `${PATH}/echo`)).body).toMatchObject({ status: 404, code: 'EXTENSION_UNKNOWN' });
    for (const { receipt_id } of [registered.body, enabling, result, disabling, deletion]) {
      const checked = await must(acme('GET', `/v1/receipts/${receipt_id}/verification?tenant_id=acme`));
      expect(checked.verified).toBe(true);
    }
    const kept = await must(acme('GET', `/v1/receipts/${result.receipt_id}?tenant_id=acme`));
    const receipt = JSON.stringify(kept) + Buffer.from(kept.payload_base64 ?? '', 'base64').toString('latin1');
    expect(receipt).toContain(result.output_digest);
    expect(receipt).not.toContain('hällo');
    expect(receipt).not.toContain(result.salt);
  });

  it('answers nothing but the bytes where they are JSON too deep for an answer', async () => {
    const by = of('deep');
    await enabled(by, wasm('echo', ECHO));
    const nested = (depth: number) => Buffer.from(`${'['.repeat(depth)}${']'.repeat(depth)}`).toString('base64');
    for (const [depth, output] of [
      [64, expect.any(Array)],
      [65, null],
      [30_000, null],
    ] as const) {
      const input_base64 = nested(depth);
      const result = await must(dispatch(by, 'echo', { input_base64 }));
      expect([depth, result.output, result.output_base64 === input_base64]).toEqual([depth, output, true]);
    }
  });

  it('is not there for another tenant, which has its own under the same id', async () => {
    const [acme, globex] = [of('acme'), of('globex')];
    await enabled(acme, wasm('mine', ECHO));
    for (const [method, path, body] of [
      ['GET', `${PATH}/mine`],
      ['POST', `${PATH}/mine/dispatch`, {}],
      ['POST', `${PATH}/mine/enable`, { digest: sha256(ECHO).toString('hex') }],
      ['POST', `${PATH}/mine/disable`],
      ['DELETE', `${PATH}/mine`],
    ] as const)
      expect([method, path, (await globex(method, path, body)).status]).toEqual([method, path, 404]);
    expect((await must(globex('GET', PATH))).extensions).toEqual([]);
    await enabled(globex, wasm('mine', TRAP));
    expect((await must(dispatch(acme, 'mine', { input: 1 }))).output).toBe(1);
    expect((await dispatch(globex, 'mine', { input: 1 })).body.outcome).toBe('trapped');
  });

  it('is what it was registered as, and listed page by page', async () => {
    const by = of('pages');
    for (const id of ['c', 'a', 'b']) await by('POST', PATH, wasm(id, ECHO));
    const again = await by('POST', PATH, wasm('a', TRAP));
    expect(again.body).toMatchObject({ status: 409, code: 'EXTENSION_KNOWN', digest: sha256(ECHO).toString('hex') });
    const first = await must(by('GET', `${PATH}?limit=2`));
    const rest = await must(by('GET', `${PATH}?limit=2&cursor=${encodeURIComponent(first.next_cursor)}`));
    const ids = [...first.extensions, ...rest.extensions].map(({ extension_id }: any) => extension_id);
    expect([ids, rest.next_cursor]).toEqual([['a', 'b', 'c'], null]);
    expect((await must(by('GET', `${PATH}?kind=tool`))).count).toBe(0);
  });

  it('takes both scopes to change and to call, and one to look', async () => {
    const as = (scopes: string) => daemon.as({ scopes, tenant: 'scopes' });
    const reads = as('query:read');
    expect((await reads('GET', PATH)).status).toBe(200);
    for (const [scopes, missing] of [
      ['admin:read', ['facts:write']],
      ['facts:write', ['admin:read']],
      ['admin:write', ['admin:read', 'facts:write']],
    ] as const)
      for (const [method, path] of [
        ['POST', PATH],
        ['POST', `${PATH}/a/enable`],
        ['POST', `${PATH}/a/disable`],
        ['POST', `${PATH}/a/dispatch`],
        ['DELETE', `${PATH}/a`],
      ] as const) {
        const { status, body } = await as(scopes)(method, path, {});
        expect([method, path, status, body.missingScopes]).toEqual([method, path, 403, missing]);
      }
  });

  it('is refused with what is wrong of it', async () => {
    const by = of('refused');
    const tool = { extension_id: 'x', kind: 'tool' };
    for (const [body, path] of [
      [{ extension_id: 'x', kind: 'wasm' }, 'body.module_base64'],
      [wasm('x', Buffer.from('nothing of the kind')), 'body.module_base64'],
      [wasm('x', running('(i32.const 0)', '1 513')), 'body.module_base64'],
      [wasm('x', ECHO, { digest: 'ab'.repeat(32) }), 'body.digest'],
      [wasm('x', ECHO, { tool: 'store_fact' }), 'body.tool'],
      [wasm('X', ECHO), 'body.extension_id'],
      [tool, 'body.tool'],
      [{ ...tool, tool: 'no_such_tool' }, 'body.tool'],
      [{ ...tool, tool: 'store_fact', module_base64: 'AA==' }, 'body.module_base64'],
    ] as const) {
      const answer = await by('POST', PATH, body);
      expect([path, answer.status, answer.body.issues?.[0].path]).toEqual([path, 400, path]);
    }
    await enabled(by, wasm('x', ECHO));
    for (const body of [{ input: 1, input_base64: 'AA==' }, { input_base64: '=' }, { input: 'x'.repeat(262_143) }]) {
      const answer = await dispatch(by, 'x', body);
      expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    }
  });
});

describe('what a call comes to', () => {
  const outcomes: [string, Buffer, object][] = [
    ['failed', running('(i32.const 3)'), { detail: 'It returned 3.' }],
    ['trapped', TRAP, { detail: 'unreachable' }],
    ['trapped', running('(call $output_write (i32.const 65530) (i32.const 7)) (i32.const 0)'), {}],
    ['trapped', running('(call $log (i32.const -1) (i32.const -1)) (i32.const 0)'), {}],
    [
      'output_too_large',
      running('(loop $more (call $output_write (i32.const 0) (i32.const 65536)) (br $more)) (i32.const 0)'),
      {},
    ],
  ];
  it.each(outcomes)('is %s (%#)', async (outcome, module, more) => {
    const by = of(`outcome-${sha256(module).toString('hex').slice(0, 8)}`);
    await enabled(by, wasm('x', module));
    const { status, body } = await dispatch(by, 'x', { input: 'x' });
    expect([status, body]).toEqual([
      422,
      expect.objectContaining({ code: 'EXTENSION_FAILED', outcome, receipt_id: expect.any(String), ...more }),
    ]);
  });

  it('is what it logged, bytes that are no JSON, and no input at all', async () => {
    const by = of('logs');
    await enabled(by, wasm('log', running('(call $log (i32.const 0) (i32.const 5)) (i32.const 0)')));
    expect(await must(dispatch(by, 'log'))).toMatchObject({ logs: ['hello'], output: null, output_base64: '' });
    await enabled(by, wasm('echo', ECHO));
    const input_base64 = Buffer.from([0xff, 0x00, 0xfe]).toString('base64');
    expect(await must(dispatch(by, 'echo', { input_base64 }))).toMatchObject({
      output: null,
      output_base64: input_base64,
    });
  });

  it('is what it gave in single bytes, however often it gave nothing', async () => {
    const by = of('bytes');
    const often = (times: number, length: number) =>
      `(local.set $n (i32.const ${times}))
       (loop $more (call $output_write (i32.const 0) (i32.const ${length}))
         (br_if $more (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))`;
    await enabled(by, wasm('x', running(`(local $n i32) ${often(2_000_000, 0)} ${often(200_000, 1)} (i32.const 0)`)));
    const { output_base64 } = await must(dispatch(by, 'x'));
    expect(Buffer.from(output_base64, 'base64')).toEqual(Buffer.alloc(200_000, 'h'));
  });

  it('leaves nothing for the next call', async () => {
    const by = of('twice');
    // Gives what stands at 100, and then writes there.
    const module = running(
      '(call $output_write (i32.const 100) (i32.const 1)) (i32.store8 (i32.const 100) (i32.const 57)) (i32.const 0)',
    );
    await enabled(by, wasm('x', module));
    for (let n = 0; n < 3; n++)
      expect(Buffer.from((await must(dispatch(by, 'x'))).output_base64, 'base64')).toEqual(Buffer.from([0]));
  });
});

describe('a tool as an extension', () => {
  it('is called with the credential of the request, and arguments that the input cannot replace', async () => {
    const by = of('tools');
    const body = {
      extension_id: 'note',
      kind: 'tool',
      tool: 'store_fact',
      arguments: { entity: 'notes', key: 'last' },
    };
    await enabled(by, body);
    const result = await must(dispatch(by, 'note', { input: { value: 'red', entity: 'other' } }));
    expect(result.output).toMatchObject({ entity: 'notes', key: 'last', value: 'red' });
    const { body: refused } = await dispatch(by, 'note', { input: { nonsense: true } });
    expect(refused).toMatchObject({ status: 422, code: 'EXTENSION_FAILED', outcome: 'failed' });
    expect((await dispatch(by, 'note', { input: 'red' })).body.issues[0].path).toBe('body.input');
    const facts = await must(of('globex')('GET', '/v1/facts/entity/notes'));
    expect(facts.facts).toEqual([]);
  });
});

describe('the build feature', () => {
  it('is what runs modules: without it they are 501, and tools are called', async () => {
    const [on, off] = [of('feature'), of('feature', 'ada', without)];
    await enabled(on, wasm('echo', ECHO));
    expect((await dispatch(off, 'echo')).body).toMatchObject({ status: 501, flag: 'SVC_BUILD_FEATURES' });
    const tool = { extension_id: 'note', kind: 'tool', tool: 'store_fact' };
    await enabled(off, tool);
    const input = { entity: 'e', key: 'k', value: 'v' };
    expect((await must(dispatch(off, 'note', { input }))).output).toMatchObject(input);
    expect((await must(dispatch(on, 'echo', { input: [] }))).output).toEqual([]);
  });
});

describe('the window', () => {
  it('slides, counts by extension and passport in all processes together, and lets exactly its number in', async () => {
    const [ada, again, bob] = [of('window'), of('window', 'ada', without), of('window', 'bob')];
    const tool = { kind: 'tool', tool: 'store_fact', arguments: { entity: 'e', key: 'k', value: 'v' } };
    for (const extension_id of ['one', 'two']) await enabled(ada, { extension_id, ...tool });
    const many = await Promise.all(Array.from({ length: 12 }, (_, n) => dispatch(n % 2 ? ada : again, 'one')));
    expect(many.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(7).fill(429)]);
    const refused = many.find(({ status }) => status === 429)!;
    expect(refused.body).toMatchObject({ code: 'EXTENSION_RATE_LIMITED', limit: 5, window_seconds: 60 });
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait > 50 && wait <= 60).toBe(true);
    expect((await dispatch(bob, 'one')).status).toBe(200);
    expect((await dispatch(ada, 'two')).status).toBe(200);

    const earlier = `update extension_call set called_at = called_at - interval '61 seconds'
      where ctid = any(array(select ctid from extension_call where extension_id = 'one' and taken_by = 'passport:ada' limit 2))`;
    await force(daemon, earlier, []);
    const later = await Promise.all(Array.from({ length: 4 }, () => dispatch(ada, 'one')));
    expect(later.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429]);
  });
});
