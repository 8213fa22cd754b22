import { Module } from '@nestjs/common';
import { CaseImportsService } from './case-imports.service.js';
import { CasesStore } from './cases.store.js';

/** Writes cases in the unit of work of others: no routes. */
@Module({ providers: [CaseImportsService, CasesStore], exports: [CaseImportsService] })
export class CaseImportsModule {}
