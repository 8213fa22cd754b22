import type { StoredEvent } from './outbox.types.js';

/** What an event looks like to everyone outside: docs/events.md. */
export interface Envelope {
  specversion: '1.0';
  id: string;
  source: string;
  type: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  tenant_id: string;
  data: Record<string, unknown>;
}

/** @param source the CloudEvents source: the public address of the server */
export const envelopeOf = (event: StoredEvent, source: string): Envelope => ({
  specversion: '1.0',
  id: event.eventId,
  source,
  type: event.kind,
  subject: event.subject,
  time: event.occurredAt.toISOString(),
  datacontenttype: 'application/json',
  tenant_id: event.tenantId,
  data: event.data,
});

/**
 * A tenant id as one token of a NATS subject: letters, digits, `-` and `_` stand for themselves, every other byte of
 * its UTF-8 is `=XX`.
 */
export const natsToken = (tenantId: string): string =>
  [...Buffer.from(tenantId, 'utf8')]
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      return /[A-Za-z0-9_-]/.test(sign) ? sign : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');

export const natsSubject = ({ tenantId, kind }: StoredEvent): string => `svc.events.${natsToken(tenantId)}.${kind}`;
