import { Module } from '@nestjs/common';
import { PackServicesModule } from './pack-services.module.js';
import { PacksController } from './packs.controller.js';
import { PacksService } from './packs.service.js';

/** Memory packs by way of the daemon (memory-daemon.md 4.6; D41): import, all or nothing, and export, signed. */
@Module({ imports: [PackServicesModule], controllers: [PacksController], providers: [PacksService] })
export class PacksModule {}
