import { Module } from '@nestjs/common';
import { EventReaderService } from './event-reader.service.js';
import { EventsStore } from './events.store.js';

/** The outbox for those who only read it: no routes, no publisher. */
@Module({ providers: [EventReaderService, EventsStore], exports: [EventReaderService] })
export class EventReadingModule {}
