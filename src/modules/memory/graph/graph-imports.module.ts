import { Module } from '@nestjs/common';
import { GraphImportsService } from './graph-imports.service.js';
import { GraphImportsStore } from './graph-imports.store.js';
import { KindRules } from './kind-rules.service.js';

/** Writes entities and edges in the unit of work of others, by the rules of their kinds: no routes. */
@Module({ providers: [GraphImportsService, GraphImportsStore, KindRules], exports: [GraphImportsService, KindRules] })
export class GraphImportsModule {}
