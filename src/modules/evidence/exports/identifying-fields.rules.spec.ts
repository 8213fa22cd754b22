import { describe, expect, it } from 'vitest';
import type { OpenField } from './derived-fields.rules.js';
import { identifyingFields } from './identifying-fields.rules.js';

const field = (type: string, index: number, name: string, value: string | null): OpenField => {
  const path = ['items', index, ...name.split('.')];
  return { field: { path, salt: new Uint8Array(16), value }, type, steps: path.map(String), name };
};
const SEAT = '0198c1de-6f1e-4c3a-9a53-2f4e1f0b7c11';
const FIELDS = [
  field('receipt', 0, 'payload.kind', 'seat.invited'),
  field('receipt', 0, 'payload.subject', SEAT),
  field('receipt', 0, 'payload.actor', 'seat:alice'),
  field('receipt', 0, 'payload.body.resolved_by', 'seat:bob'),
  field('receipt', 0, 'payload.body.session_id', 'run-7'),
  field('receipt', 0, 'payload.body.former_role', null),
  field('receipt', 1, 'payload.kind', 'answer.recorded'),
  field('receipt', 1, 'payload.subject', 'answer-1'),
  field('receipt', 1, 'payload.auth_mode', 'seat'),
  field('happening', 2, 'kind', 'api_key.revoked'),
  field('happening', 2, 'subject', 'the id of a key'),
  field('happening', 2, 'data.by', 'bob'),
  field('event', 3, 'payload.said', 'run-7 is over'),
  field('event', 3, 'payload.run', 'run-7'),
  field('event', 3, 'kind', 'seat.invited'),
  field('event', 3, 'subject', 'a subject of its own'),
];
const names = identifyingFields(FIELDS).map(({ steps }) => steps.slice(1).join('.'));

describe('fields that say who', () => {
  it('are those named so, of whatever spelling, and the session', () => {
    for (const name of ['0.payload.actor', '0.payload.body.resolved_by', '0.payload.body.session_id'])
      expect(names).toContain(name);
  });

  it('are the subjects of what happened to seats, keys and agents, and no others', () => {
    expect(names).toEqual(expect.arrayContaining(['0.payload.subject', '2.subject']));
    for (const name of ['1.payload.subject', '3.subject']) expect(names).not.toContain(name);
  });

  it('are all that have such a value, with its kind or without', () => {
    expect(names).toEqual(expect.arrayContaining(['2.data.by', '3.payload.run']));
    for (const name of ['3.payload.said', '1.payload.auth_mode', '0.payload.body.former_role'])
      expect(names).not.toContain(name);
  });
});
