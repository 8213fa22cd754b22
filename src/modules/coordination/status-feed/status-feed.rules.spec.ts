import { describe, expect, it } from 'vitest';
import { isOfFeed } from './status-feed.rules.js';

const event = (kind: string, subject = 's', data: Record<string, unknown> = {}) => ({ kind, subject, data });

describe('the feed', () => {
  it('has the events of coordination alone', () => {
    const kinds = ['work.created', 'gate.requested', 'lease.ended', 'punchcard.acquired', 'intent.announced'];
    const others = ['fact.stored', 'workshop.opened', 'orchestrators.x', 'document.indexed', 'shield.work'];
    expect([...kinds, 'orchestrator.changed'].filter((kind) => !isOfFeed(event(kind)))).toEqual([]);
    expect(others.filter((kind) => isOfFeed(event(kind)))).toEqual([]);
  });

  it('of a work item has what is about it: by the id in the data, else by the subject', () => {
    expect(isOfFeed(event('work.changed', 'w1'), 'w1')).toBe(true);
    expect(isOfFeed(event('gate.requested', 'g1', { workId: 'w1' }), 'w1')).toBe(true);
    expect(isOfFeed(event('gate.requested', 'g1', { work_id: 'w1' }), 'w1')).toBe(true);
    expect(isOfFeed(event('gate.requested', 'w1', { workId: 'w2' }), 'w1')).toBe(false);
    expect(isOfFeed(event('fact.stored', 'w1'), 'w1')).toBe(false);
  });
});
