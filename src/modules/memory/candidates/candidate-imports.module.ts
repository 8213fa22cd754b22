import { Module } from '@nestjs/common';
import { CandidateImportsService } from './candidate-imports.service.js';

/** Writes candidates in the unit of work of others: no routes. */
@Module({ providers: [CandidateImportsService], exports: [CandidateImportsService] })
export class CandidateImportsModule {}
