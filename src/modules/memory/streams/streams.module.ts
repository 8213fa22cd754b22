import { Module } from '@nestjs/common';
import { AppendService } from './append.service.js';
import { StreamsController } from './streams.controller.js';
import { StreamsService } from './streams.service.js';
import { StreamsStore } from './streams.store.js';

/**
 * Append-only event streams: POST /v1/append with optimistic concurrency, each append receipted in a chain of its
 * stream. Other modules read them through StreamsService.
 */
@Module({
  controllers: [StreamsController],
  providers: [AppendService, StreamsService, StreamsStore],
  exports: [StreamsService],
})
export class StreamsModule {}
