import { Module } from '@nestjs/common';
import { HostedSurfacesController } from './hosted-surfaces.controller.js';
import { HostedSurfacesService } from './hosted-surfaces.service.js';

/**
 * The eight routes of the build feature hosted-surfaces (memory-daemon.md 4.12, 9): a daemon without it does not have
 * this module.
 */
@Module({ controllers: [HostedSurfacesController], providers: [HostedSurfacesService] })
export class HostedSurfacesModule {}
