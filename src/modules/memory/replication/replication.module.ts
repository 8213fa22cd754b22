import { Module } from '@nestjs/common';
import { ReplicationController } from './replication.controller.js';
import { ReplicationService } from './replication.service.js';
import { ReplicationStore } from './replication.store.js';

/** Sealed segments that nodes send each other, so that one has what another took in (memory-daemon.md 5.3). */
@Module({
  controllers: [ReplicationController],
  providers: [ReplicationService, ReplicationStore],
  exports: [ReplicationService],
})
export class ReplicationModule {}
