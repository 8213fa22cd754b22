import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { ECHO, GROW, LOOP, TRAP } from '../../kit/wat.js';
import { must } from '../work/given.js';

const TIMEOUT_MS = 500;
const MIB = 1024 * 1024;
let daemon: TestDaemon;
beforeAll(async () => {
  const env = { SVC_BUILD_FEATURES: 'wasm-extensions', SVCD_EXTENSION_TIMEOUT_MS: String(TIMEOUT_MS) };
  daemon = await startDaemon({ env });
});
afterAll(() => daemon.close());

const of = (tenant: string): DaemonCall => daemon.as({ scopes: ALL_SCOPES, tenant, passport: 'ada' });
async function enabled(by: DaemonCall, extension_id: string, module: Buffer): Promise<void> {
  const body = { extension_id, kind: 'wasm', module_base64: module.toString('base64') };
  const answer = await by('POST', '/v1/extensions', body);
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  await must(by('POST', `/v1/extensions/${extension_id}/enable`, { digest: answer.body.extension.digest }));
}
const dispatch = (by: DaemonCall, id: string) => by('POST', `/v1/extensions/${id}/dispatch`, { input: 'hello' });

describe('a module that does not behave', () => {
  const MODULES: [string, Buffer, string][] = [
    ['loops', LOOP, 'timed_out'],
    ['allocates without end', GROW, 'timed_out'],
    ['traps', TRAP, 'trapped'],
  ];

  it(
    'is ended within its limits, and the requests of others are answered meanwhile',
    { timeout: 120_000 },
    async () => {
      const [bad, good] = [of('bad'), of('good')];
      for (const [name, module] of MODULES) await enabled(bad, name.replaceAll(' ', '-'), module);
      await enabled(good, 'echo', ECHO);
      const before = process.memoryUsage().rss;
      let running = true;
      const others = (async () => {
        let answered = 0;
        for (; running; answered += 1) {
          const [health, facts, echo] = await Promise.all([
            good('GET', '/healthz'),
            good('GET', '/v1/facts/list'),
            answered < 40 ? dispatch(good, 'echo') : undefined,
          ]);
          expect([health.status, facts.status, echo?.status ?? 200]).toEqual([200, 200, 200]);
        }
        return answered;
      })();
      for (let round = 0; round < 3; round++) {
        const ended = await Promise.all(
          MODULES.map(async ([name, , outcome]) => {
            const { status, body } = await dispatch(bad, name.replaceAll(' ', '-'));
            return [name, status, body.outcome === outcome, typeof body.receipt_id];
          }),
        );
        expect(ended).toEqual(MODULES.map(([name]) => [name, 422, true, 'string']));
      }
      running = false;
      expect(await others).toBeGreaterThan(0);
      // Two memories of 32 MiB at once, and what the runtime has for them; not all that was asked for.
      expect(process.memoryUsage().rss - before).toBeLessThan(400 * MIB);
    },
  );

  it('ends with its own call alone: the thread of the next one is whole', async () => {
    const by = of('next');
    await enabled(by, 'loop', LOOP);
    await enabled(by, 'echo', ECHO);
    const [loop, echo] = await Promise.all([dispatch(by, 'loop'), dispatch(by, 'echo')]);
    expect([loop.body.outcome, echo.body.output]).toEqual(['timed_out', 'hello']);
    expect((await must(dispatch(by, 'echo'))).output).toBe('hello');
  });
});
