import { describe, expect, it } from 'vitest';
import { localStateOf } from './sync-local.rules.js';

const FACT = {
  ...{ place: '1', actor: 'ada', confidence: 0.9, horizon_class: 'durable', tenant_hash: null, value: 'London' },
  ...{ valid_from: new Date(0), valid_to: null },
};

describe('what the tables have of a record', () => {
  it('is its content, with the names and the digest of that', () => {
    const state = localStateOf('facts', ['user:ada', 'city'], FACT);
    expect(state).toMatchObject({
      kind: 'present',
      names: ['user:ada'],
      content: {
        entity: 'user:ada',
        key: 'city',
        value: 'London',
        valid_from: '1970-01-01T00:00:00.000Z',
        valid_to: null,
      },
    });
  });

  it('is nothing, or withheld', () => {
    expect(localStateOf('facts', ['e', 'k'], undefined)).toEqual({ kind: 'absent' });
    expect(localStateOf('facts', ['e', 'k'], { ...FACT, absent: true })).toEqual({ kind: 'absent' });
    expect(localStateOf('facts', ['e', 'k'], { ...FACT, withheld: true })).toEqual({ kind: 'withheld' });
  });

  it('is withheld where it has no canonical form', () => {
    expect(localStateOf('facts', ['e', 'k'], { ...FACT, valid_to: Infinity })).toEqual({ kind: 'withheld' });
    expect(localStateOf('entities', ['k', 'i'], { place: '1', payload: { n: Infinity } })).toEqual({
      kind: 'withheld',
    });
  });

  it('of a relation has its numbers as numbers', () => {
    const row = { place: '1', confidence: 0.5, created_at_micros: '5', updated_at_micros: '7' };
    expect(localStateOf('relations', ['1', 'cites', '2'], row)).toMatchObject({
      content: {
        from_id: 1,
        to_id: 2,
        edge_type: 'cites',
        confidence: 0.5,
        created_at_micros: 5,
        updated_at_micros: 7,
      },
    });
  });
});
