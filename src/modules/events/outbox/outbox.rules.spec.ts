import { describe, expect, it } from 'vitest';
import { envelopeOf, natsSubject, natsToken } from './outbox.rules.js';

const EVENT = {
  tenantId: 'acme.eu >*',
  eventId: '0198c1de-0000-7000-8000-000000000001',
  kind: 'seat.invited',
  subject: 'seat-1',
  data: { role: 'member' },
  occurredAt: new Date('2026-01-31T12:00:00Z'),
  transaction: '7',
  position: '1',
};

describe('an event outside', () => {
  it('is a CloudEvents envelope', () => {
    expect(envelopeOf(EVENT, 'https://api.example')).toEqual({
      specversion: '1.0',
      id: EVENT.eventId,
      source: 'https://api.example',
      type: 'seat.invited',
      subject: 'seat-1',
      time: '2026-01-31T12:00:00.000Z',
      datacontenttype: 'application/json',
      tenant_id: 'acme.eu >*',
      data: { role: 'member' },
    });
  });

  it('has a NATS subject in which the tenant is one token, and no two tenants the same', () => {
    expect(natsSubject(EVENT)).toBe('svc.events.acme=2Eeu=20=3E=2A.seat.invited');
    expect(new Set(['a.b', 'a=2Eb', 'a_b', 'ä', 'a b'].map(natsToken)).size).toBe(5);
  });
});
