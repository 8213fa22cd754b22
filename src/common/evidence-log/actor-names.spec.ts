import { describe, expect, it } from 'vitest';
import { actorNamed } from './actor-names.js';

describe('the actor that a principal means', () => {
  it.each([
    'passport:alice',
    'sub:auth0|17',
    'key:0190',
    'seat:0190',
    'agent:a-1',
    'svc:payment-provider',
    'drill:d:approver',
    'public:ab12',
    'anonymous',
    'operator',
  ])('is %s itself', (actor) => expect(actorNamed(actor)).toBe(actor));

  it.each(['alice', 'team:alice', 'Key:1', 'key', 'key:', 'operators', 'anonymous:1', ' anonymous', ''])(
    'is the passport of %j',
    (id) => expect(actorNamed(id)).toBe(`passport:${id}`),
  );
});
