import { Module } from '@nestjs/common';
import { SyncServicesModule } from './sync-services.module.js';
import { SyncController } from './sync.controller.js';
import { SyncService } from './sync.service.js';

/**
 * Tenant sync (memory-daemon.md 4.7; D50): what a tenant has as versions with vectors, compared by one root a
 * collection, paged, previewed and taken in. Which peers there are, and how they prove who they are, is of the module
 * of peers.
 */
@Module({ imports: [SyncServicesModule], controllers: [SyncController], providers: [SyncService] })
export class SyncModule {}
