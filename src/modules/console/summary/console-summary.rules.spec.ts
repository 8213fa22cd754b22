import { describe, expect, it } from 'vitest';
import type { HorizonClass } from '../../memory/facts/facts.types.js';
import { deciderOf, weightOf } from './console-summary.rules.js';
import { WAITING_KINDS } from './console-summary.types.js';

const DAY_MS = 86_400_000;

describe('what waits', () => {
  it('is decided on by a route for each kind', () => {
    for (const kind of WAITING_KINDS) {
      const { approve, reject } = deciderOf(kind, 'id');
      for (const route of [approve, reject]) expect(route).toMatch(/^POST \/v1\/.*\/id(\/|$)/);
    }
    expect(deciderOf('gate', 'g')).toEqual({
      server: 'daemon',
      approve: 'POST /v1/work/gate/g/approve',
      reject: 'POST /v1/work/gate/g/reject',
    });
  });
});

describe('the weight of a fact', () => {
  const weigh = (horizon_class: HorizonClass, days: number) =>
    weightOf(
      { confidence: 0.8, horizon_class, stored_at: '2026-01-01T00:00:00Z' },
      Date.UTC(2026, 0, 1) + days * DAY_MS,
    );

  it('halves by its horizon, and never grows', () => {
    expect(weigh('ephemeral', 30)).toBe(0.4);
    expect(weigh('session', 180)).toBe(0.4);
    expect(weigh('durable', 3650)).toBe(0.8);
    expect(weigh('permanent', 3650)).toBe(0.8);
    expect(weigh('ephemeral', -5)).toBe(0.8);
    expect(weigh('ephemeral', 1e6)).toBe(0);
  });
});
