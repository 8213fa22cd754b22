import { Module } from '@nestjs/common';
import { IntentsController } from './intents.controller.js';
import { IntentsService } from './intents.service.js';
import { IntentsStore } from './intents.store.js';
import { IntentSweep } from './intents.sweep.js';

/**
 * What agents say that they are about to do, so that others hear of it before they collide: advice, never a lock
 * (memory-daemon.md 4.9; D62).
 */
@Module({
  controllers: [IntentsController],
  providers: [IntentsService, IntentsStore, IntentSweep],
  exports: [IntentsService],
})
export class IntentsModule {}
