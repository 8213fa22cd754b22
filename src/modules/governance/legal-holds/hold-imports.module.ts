import { Module } from '@nestjs/common';
import { HoldImportsService } from './hold-imports.service.js';

/** Writes legal holds in the unit of work of others: no routes. */
@Module({ providers: [HoldImportsService], exports: [HoldImportsService] })
export class HoldImportsModule {}
