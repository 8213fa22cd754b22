import { Module } from '@nestjs/common';
import { RelationImportsService } from './relation-imports.service.js';
import { RelationImportsStore } from './relation-imports.store.js';

/** Writes relations in the unit of work of others: no routes. */
@Module({ providers: [RelationImportsService, RelationImportsStore], exports: [RelationImportsService] })
export class RelationImportsModule {}
