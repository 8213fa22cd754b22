import { uuid } from '../../../../common/ids/uuid.js';
import { describe, expect, it } from 'vitest';
import type { SamplingRule } from '../shield.types.js';
import { sampledBy } from './sampling.rules.js';

const rule = (members: Partial<SamplingRule> = {}): SamplingRule => ({
  samplingPolicyId: '018f0000-0000-7000-8000-000000000001',
  action: null,
  outcome: null,
  principal: null,
  ratePerMillion: 1_000_000,
  ...members,
});
const decision = (members = {}) => ({
  decisionId: '018f0000-0000-7000-8000-0000000000aa',
  action: 'POST /v1/ingest',
  outcome: 'deny' as const,
  principal: 'key:1',
  ...members,
});
const isSampled = (one: SamplingRule, made = decision()) => sampledBy(made, [one]).length === 1;

describe('sampling', () => {
  it('looks at what matches in every member', () => {
    expect(isSampled(rule())).toBe(true);
    expect(isSampled(rule({ action: 'POST /v1/*', outcome: 'deny', principal: 'key:1' }))).toBe(true);
    expect(isSampled(rule({ action: 'POST /v1/citations' }))).toBe(false);
    const tool = decision({ action: 'query_vault', route: 'POST /v1/retrieve' });
    for (const action of ['query_vault', 'POST /v1/retrieve', 'POST /v1/*'])
      expect([action, isSampled(rule({ action }), tool)]).toEqual([action, true]);
    expect(isSampled(rule({ action: 'tip_platform' }), tool)).toBe(false);
    expect(isSampled(rule({ outcome: 'allow' }))).toBe(false);
    expect(isSampled(rule({ principal: 'key:2' }))).toBe(false);
  });

  it('keeps the share it should: all, none, and a tenth within chance', () => {
    const ids = Array.from({ length: 20_000 }, (_, n) => `018f0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`);
    const share = (ratePerMillion: number) =>
      ids.filter((decisionId) => isSampled(rule({ ratePerMillion }), decision({ decisionId }))).length / ids.length;
    expect([share(1_000_000), share(0)]).toEqual([1, 0]);
    expect(share(100_000)).toBeGreaterThan(0.09);
    expect(share(100_000)).toBeLessThan(0.11);
  });

  it('gives the same answer each time, of each policy its own, and a higher rate keeps what a lower one kept', () => {
    const ids = Array.from({ length: 500 }, () => uuid());
    const kept = (members: Partial<SamplingRule>) =>
      new Set(ids.filter((decisionId) => isSampled(rule(members), decision({ decisionId }))));
    const few = kept({ ratePerMillion: 200_000 });
    expect(kept({ ratePerMillion: 200_000 })).toEqual(few);
    const more = kept({ ratePerMillion: 500_000 });
    expect([...few].every((id) => more.has(id))).toBe(true);
    const other = kept({ ratePerMillion: 200_000, samplingPolicyId: '018f0000-0000-7000-8000-000000000002' });
    expect(other).not.toEqual(few);
  });
});
