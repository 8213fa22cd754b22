import { describe, expect, it } from 'vitest';
import { CHECK_TIMEOUT_MS, CheckRun } from './check-run.js';

const runOf = (run: () => Promise<string>, cacheMs = 0) => {
  const check = new CheckRun({ name: 'check', cacheMs, run });
  return { read: async () => (await check.read()).detail };
};

describe('a readiness check', () => {
  it('that does not answer is waited for once, said so, and not started again by later probes', async () => {
    const answer = Promise.withResolvers<string>();
    let started = 0;
    const run = runOf(() => {
      started += 1;
      return answer.promise;
    });
    const unanswered = `did not answer within ${CHECK_TIMEOUT_MS / 1000} s`;
    expect(await Promise.all([run.read(), run.read()])).toEqual([unanswered, unanswered]);
    expect([await run.read(), started]).toEqual([unanswered, 1]);
    answer.resolve('holds');
    await answer.promise;
    expect([await run.read(), await run.read()]).toEqual(['holds', 'holds']);
    expect(started).toBeGreaterThan(1);
  });

  it('is cached for a while', async () => {
    let started = 0;
    const run = runOf(async () => String((started += 1)), 60_000);
    expect([await run.read(), await run.read()]).toEqual(['1', '1']);
  });

  it('that fails says so without what drivers put into their messages', async () => {
    const refused = Object.assign(new Error('connect ENOENT /home/somebody/run/.s.PGSQL.5432'), { code: 'ENOENT' });
    expect(await runOf(() => Promise.reject(refused)).read()).toBe('cannot be checked: Error ENOENT');
    expect(await runOf(() => Promise.reject(new Error('no connection'))).read()).toBe(
      'cannot be checked: no connection',
    );
  });
});
