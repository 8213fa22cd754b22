import { Module } from '@nestjs/common';
import { RelationsController } from './relations.controller.js';
import { RelationsService } from './relations.service.js';
import { RelationsStore } from './relations.store.js';

/**
 * The numeric relation graph of a tenant: weighted relations between artifacts, and the expansion of a set of them
 * (memory-daemon.md 4.4).
 */
@Module({
  controllers: [RelationsController],
  providers: [RelationsService, RelationsStore],
  exports: [RelationsService],
})
export class RelationsModule {}
