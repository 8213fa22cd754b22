import { Module } from '@nestjs/common';
import { MediationController } from './mediation.controller.js';
import { MediationService } from './mediation.service.js';

/** Drafts that are passed on to an engine of the operator, with receipts (SVCD_ENGINE_BASE_URL; D71). */
@Module({ controllers: [MediationController], providers: [MediationService] })
export class MediationModule {}
