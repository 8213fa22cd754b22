import { describe, expect, it } from 'vitest';
import { argumentsDigest, argumentsOf } from './call-arguments.js';

describe('the arguments of a call', () => {
  it('are path, query and body, without the key of the effect', () => {
    expect(argumentsOf({ id: '1' }, undefined, { idempotencyKey: 'k', a: 1 })).toEqual({
      ...{ path: { id: '1' }, query: {} },
      body: { a: 1 },
    });
    expect(argumentsOf(undefined, undefined, undefined)).toEqual({ path: {}, query: {}, body: {} });
  });

  it.each(['🦘', [1, 2], 7, true])('keep a body that is no object whole: %j', (body) => {
    const call = argumentsOf(undefined, undefined, body);
    expect(call).toEqual({ path: {}, query: {}, body });
    expect(argumentsDigest(call)).toMatch(/^sha256:/);
  });
});
