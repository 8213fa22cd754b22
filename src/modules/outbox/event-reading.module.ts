import { Module } from '@nestjs/common';
import { EventReaderService } from './events/event-reader.service.js';
import { EventsStore } from './events/events.store.js';

/** The outbox for those who only read it: no routes, no publisher. */
@Module({ providers: [EventReaderService, EventsStore], exports: [EventReaderService] })
export class EventReadingModule {}
