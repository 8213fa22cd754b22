import type { ServerResponse } from 'node:http';
import type { Credential } from '../../common/keys/tool-callers.js';
import { readEventId, sseEvent, SSE_BEGINNING, writeEventId } from './sse-events.js';

/** Heartbeats that found the buffer full before the client counts as gone. */
const MAX_UNREAD = 2;

/** The message that lists what can be called: written once, sent to all. */
export interface CapabilityMessage {
  mark: string;
  /** Its JSON, in one line. */
  data: Buffer;
}

const END_OF_EVENT = Buffer.from('\n\n');

/** One GET /sse. */
export class SseConnection {
  private count = 0;
  private unread = 0;

  constructor(
    private readonly raw: ServerResponse,
    private readonly capabilities: CapabilityMessage,
    readonly who: { credential: Credential; principal: string; tenantId: string },
  ) {}

  /** @param lastEventId as the client sent it: with the capabilities it knows already they are not sent again */
  begin(lastEventId: string | undefined): void {
    const last = readEventId(lastEventId);
    this.count = last?.count ?? 0;
    const { raw } = this;
    raw.cork();
    raw.write(SSE_BEGINNING);
    if (last?.mark === this.capabilities.mark) this.send('resumed', { after: lastEventId });
    else this.sendCapabilities();
    raw.uncork();
  }

  /**
   * A heartbeat. One that does not fit, because the other end does not read, is left out; after some of those the
   * connection is cut.
   */
  beat(at: Date): void {
    const { raw } = this;
    if (!raw.writableNeedDrain && !raw.writableEnded) {
      this.unread = 0;
      return this.send('heartbeat', { at: at.toISOString() });
    }
    this.unread += 1;
    if (this.unread >= MAX_UNREAD) raw.destroy();
  }

  /** Says why, and ends it. */
  end(reason: 'unauthorized' | 'shutdown'): void {
    if (this.raw.writableEnded) return;
    this.send('end', { reason });
    this.raw.end();
  }

  destroy(): void {
    this.raw.destroy();
  }

  private sendCapabilities(): void {
    // The text is shared by all connections and written as it is: a copy each would be megabytes for nothing.
    this.raw.write(`id: ${this.nextId()}\nevent: capabilities\ndata: `);
    this.raw.write(this.capabilities.data);
    this.raw.write(END_OF_EVENT);
  }

  private send(event: string, data: object): void {
    this.raw.write(sseEvent(this.nextId(), event, JSON.stringify(data)));
  }

  private nextId(): string {
    this.count += 1;
    return writeEventId({ mark: this.capabilities.mark, count: this.count });
  }
}
