import { Injectable } from '@nestjs/common';
import type { EventSink } from '../outbox.types.js';

/** The registry of event sinks: a module that wants every event registers one before the application has started. */
@Injectable()
export class EventSinksService {
  private readonly registered = new Map<string, EventSink>();

  register(sink: EventSink): void {
    if (this.registered.has(sink.name)) throw new Error(`There is a sink ${sink.name} already`);
    this.registered.set(sink.name, sink);
  }

  get all(): EventSink[] {
    return [...this.registered.values()];
  }
}
