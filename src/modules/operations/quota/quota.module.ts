import { Module } from '@nestjs/common';
import { QuotaController } from './quota.controller.js';
import { QuotaService } from './quota.service.js';
import { QuotaSweep } from './quota.sweep.js';

/**
 * What is left of the quotas of passports by surface (memory-daemon.md 4.11, 8; D71). QuotaGuard takes from them, in
 * all processes together.
 */
@Module({ controllers: [QuotaController], providers: [QuotaService, QuotaSweep] })
export class QuotaModule {}
