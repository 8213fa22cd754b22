import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { namedDigest } from '../../../evidence/digest.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { checkStreamId, prepareEvents, type PreparedEvent } from './append.rules.js';
import type { AppendReply, AppendRequest } from './streams.dto.js';
import { streamAppended } from './streams.events.js';
import { EventIdTaken, NextSeqMismatch, PlatformUpgradeRequired } from './streams.problems.js';
import { eventDigestOf, eventsDigestOf, payloadDigestOf } from './streams.rules.js';
import { StreamsStore, type KnownEventRow, type NewEvent } from './streams.store.js';
import { evidenceStreamOf, STREAM_APPENDED, type StreamAppended, type StreamName } from './streams.types.js';

/** Appends events to streams: all of a call or none, one writer of a stream at a time. */
@Injectable()
export class AppendService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly tenants: TenantResolver,
    private readonly store: StreamsStore,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @param deadline when it aborts before the events are written, none is
   * @throws ValidationFailed, NextSeqMismatch, EventIdTaken; nothing is appended then
   */
  async append(caller: DaemonCaller, request: AppendRequest, deadline: AbortSignal): Promise<AppendReply> {
    checkStreamId(request);
    const prepared = await prepareEvents(request);
    return this.tenants.write(caller, request.tenant_id, async () => {
      deadline.throwIfAborted();
      const reply = await this.appendPrepared(caller, request, prepared);
      deadline.throwIfAborted();
      return reply;
    });
  }

  /** @throws PlatformUpgradeRequired, always, once the request was found to be valid */
  async refuseUntilUpgraded(request: AppendRequest): Promise<never> {
    checkStreamId(request);
    await prepareEvents(request);
    throw new PlatformUpgradeRequired({}, 'Send this body to POST /v1/append, which appends it');
  }

  private async appendPrepared(
    caller: DaemonCaller,
    request: AppendRequest,
    prepared: readonly PreparedEvent[],
  ): Promise<AppendReply> {
    const stream = { streamType: request.stream_type, streamId: request.stream_id };
    const head = await this.store.lockHead(stream);
    const ids = prepared.map(({ eventId }) => eventId).filter((id) => id !== null);
    const known = new Map((await this.store.findKnown(stream, ids)).map((row) => [row.event_id, row]));
    for (const event of prepared) this.checkSame(stream, event, known);
    const isNew = ({ eventId }: PreparedEvent): boolean => eventId === null || !known.has(eventId);
    const fresh = prepared.filter(isNew);
    const repeats = { duplicates: prepared.length - fresh.length, ...namesOf(request) };
    if (fresh.length === 0) {
      const first = known.get(prepared[0]!.eventId!)!;
      return { appended: 0, ...repeats, first_seq: Number(first.seq), next_seq: head, receipt_id: first.receipt_id };
    }
    checkExpected(request, head);
    const events = fresh.map((event, index) => this.place(stream, event, head + index));
    const nextSeq = head + events.length;
    const receiptId = await this.record(caller, stream, events);
    await this.store.recordEvents(stream, events, receiptId);
    await this.store.moveHead(stream, nextSeq);
    return { appended: events.length, ...repeats, first_seq: head, next_seq: nextSeq, receipt_id: receiptId };
  }

  /** @throws EventIdTaken when the stream has another event of the same event_id */
  private checkSame(stream: StreamName, event: PreparedEvent, known: ReadonlyMap<string, KnownEventRow>): void {
    const row = event.eventId === null ? undefined : known.get(event.eventId);
    if (!row) return;
    const again = this.place(stream, { ...event, salt: row.salt }, Number(row.seq));
    if (row.digest.equals(again.digest)) return;
    throw new EventIdTaken(
      { event_id: row.event_id, seq: Number(row.seq) },
      `The event at seq ${row.seq} has this event_id and another type, occurred_at or payload. Give the new event an event_id of its own; nothing of the call was appended`,
    );
  }

  private place({ streamType, streamId }: StreamName, event: PreparedEvent, seq: number): NewEvent {
    const digest = eventDigestOf({
      v: 1,
      tenant_id: this.tenancy.tenant,
      stream_type: streamType,
      stream_id: streamId,
      seq,
      event_id: event.eventId,
      type: event.type,
      occurred_at: event.occurredAt,
      payload_digest: namedDigest('blake3', payloadDigestOf(event.salt, event.payload)),
    });
    return { ...event, seq, digest };
  }

  /** @returns the id of the receipt */
  private async record(caller: DaemonCaller, stream: StreamName, events: readonly NewEvent[]): Promise<string> {
    const { streamType: stream_type, streamId: stream_id } = stream;
    const [first_seq, count] = [events[0]!.seq, events.length];
    const grown = { stream_type, stream_id, first_seq, count };
    const receipt: StreamAppended = { ...grown, events_digest: eventsDigestOf(events.map(({ digest }) => digest)) };
    const { receiptId } = await this.audit.record(caller, {
      kind: STREAM_APPENDED,
      stream: evidenceStreamOf(stream),
      subject: `${stream_type}/${stream_id}`,
      receipt,
      makeEvent: (receipt_id) => streamAppended({ ...grown, next_seq: first_seq + count, receipt_id }),
    });
    return receiptId;
  }
}

const namesOf = ({ tenant_id, stream_type, stream_id }: AppendRequest) => ({ tenant_id, stream_type, stream_id });

/** @throws NextSeqMismatch */
function checkExpected({ expected_next_seq }: AppendRequest, actual: number): void {
  if (expected_next_seq === undefined || BigInt(expected_next_seq) === BigInt(actual)) return;
  throw new NextSeqMismatch(
    { expected_next_seq, actual_next_seq: actual },
    `The next event of the stream gets seq ${actual}, not ${expected_next_seq}. Read what was appended meanwhile and send the events again with expected_next_seq ${actual}, or leave expected_next_seq out to append wherever the stream ends`,
  );
}
