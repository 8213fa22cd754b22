import { describe, expect, it } from 'vitest';
import { failureReason } from './failure-reason.js';

describe('failureReason', () => {
  it('is what fetch has as its cause', async () => {
    const failed = await fetch('http://127.0.0.1:1/').catch((error: unknown) => error);
    expect((failed as Error).message).toBe('fetch failed');
    expect(failureReason(failed)).toMatch(/ECONNREFUSED|bad port/);
  });

  it('names the code where the message does not, and is one line', () => {
    expect(failureReason(Object.assign(new Error('no\n such host'), { code: 'ENOTFOUND' }))).toBe(
      'ENOTFOUND: no such host',
    );
    expect(failureReason(new AggregateError([Object.assign(new Error(''), { code: 'EPIPE' })]))).toBe('EPIPE');
    expect(failureReason(new Error(''))).toBe('it does not answer');
    expect(failureReason(new Error('answers no token', { cause: new Error('asn1') }))).toBe('answers no token');
  });
});
