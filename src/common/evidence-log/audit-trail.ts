import { Injectable } from '@nestjs/common';
import { snakeCase } from '../fields/snake-case.js';
import { Outbox, type OutboxEvent, outboxRows } from '../outbox/outbox.js';
import { type EvidenceEvent, EvidenceService } from './evidence.service.js';

/** Who acts: a caller of the API or of the daemon, or a part of the system. */
export interface Actor {
  readonly principal: string;
  /** Of its token, also where a passport is the principal; receipts do not say it. */
  readonly tokenSubject?: string | undefined;
  /** How the principal was authenticated; the `auth_mode` of receipts. */
  readonly authType: string;
  /** The agent's session that the request named (X-Svc-Session-Id). */
  readonly agentSession?: string | undefined;
  /** A registered passport that nobody proved to have the key of; receipts say so (D71). */
  readonly isUnattested?: boolean | undefined;
}

/** Whoever works on the server's command line. */
export const OPERATOR = { principal: 'operator', authType: 'cli' } as const satisfies Actor;

interface Change {
  /** Of the event and the receipt; dotted, past tense where it can be: `bundle.published`. */
  readonly kind: string;
  /** The id of what changed. */
  readonly subject: string;
  /** What both say: by these names in the event, in snake_case in the receipt. */
  readonly facts?: object;
  /** What only the receipt says, by the names that it has there. */
  readonly receipt?: object;
  /** The receipt's chain within the tenant; `main` unless said otherwise. */
  readonly stream?: string;
}

interface PlainEvent {
  /** What only the event says; it also has the `actor`. */
  readonly event?: object;
  readonly makeEvent?: never;
}

interface OwnEvent {
  readonly event?: never;
  /**
   * Makes the whole event, where it names the receipt or has another kind or subject, or no actor. The facts are the
   * receipt's alone then.
   */
  readonly makeEvent: (receiptId: string) => OutboxEvent;
}

/** A change that others may want to know of and that has to be proven later. */
export type AuditEntry = Change & (PlainEvent | OwnEvent);
type PlainEntry = Change & PlainEvent;

/** The receipt of a change whose event is written otherwise. */
export type ReceiptEntry = Omit<Change, 'facts'>;

/** What was written. */
export interface AuditRecord {
  readonly receiptId: string;
  readonly eventId: string;
}

/**
 * Leaves the two records of a change, its outbox event and its signed receipt, in the open unit of work: both exist
 * exactly when the change does.
 */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly outbox: Outbox,
    private readonly evidence: EvidenceService,
  ) {}

  /** From here to the commit other writers of the tenant's stream of receipts wait: call it late. */
  async record(by: Actor, entry: AuditEntry): Promise<AuditRecord> {
    if (entry.makeEvent) {
      const receiptId = await this.recordReceipt(by, entry);
      return { receiptId, eventId: this.outbox.emit(entry.makeEvent(receiptId)) };
    }
    return (await this.recordMany(by, [entry]))[0]!;
  }

  /** The same of many changes, in as many round trips as of one. @returns in their order */
  recordMany(by: Actor, entries: readonly PlainEntry[]): Promise<AuditRecord[]> {
    return this.recordAll(entries.map((entry) => ({ ...entry, by })));
  }

  /** The same of changes by different actors. */
  async recordAll(entries: readonly (PlainEntry & { readonly by: Actor })[]): Promise<AuditRecord[]> {
    const events = outboxRows(entries.map((entry) => eventOf(entry.by, entry)));
    const evidence = entries.map((entry) => evidenceOf(entry.by, entry));
    const receipts = await this.evidence.recordMany(evidence, events);
    this.outbox.announceAfterCommit();
    return receipts.map(({ receiptId }, place) => ({ receiptId, eventId: events[place]!.event_id }));
  }

  /** The receipt alone, where the caller writes the event in the same unit of work. @returns its id */
  async recordReceipt(by: Actor, entry: ReceiptEntry): Promise<string> {
    return (await this.evidence.record(evidenceOf(by, entry))).receiptId;
  }
}

const eventOf = (by: Actor, { kind, subject, facts, event }: PlainEntry): OutboxEvent => ({
  kind,
  subject,
  data: { ...facts, ...event, actor: by.principal },
});

/** What receipts say of an actor whose passport has no proven key; of several, where that is so of any. */
export const UNATTESTED = { passport_attested: false };

function evidenceOf(by: Actor, { kind, subject, facts = {}, receipt, stream }: Change): EvidenceEvent {
  const members = Object.entries(facts).map(([name, value]: [string, unknown]) => [snakeCase(name), value] as const);
  return {
    kind,
    actor: by.principal,
    authMode: by.authType,
    agentSession: by.agentSession,
    subject,
    body: { ...Object.fromEntries(members), ...receipt, ...(by.isUnattested ? UNATTESTED : {}) },
    ...(stream === undefined ? {} : { stream }),
  };
}
