import { Module } from '@nestjs/common';
import { SessionImportsService } from './session-imports.service.js';
import { SessionImportsStore } from './session-imports.store.js';

/** Writes observed sessions in the unit of work of others: no routes. */
@Module({ providers: [SessionImportsService, SessionImportsStore], exports: [SessionImportsService] })
export class SessionImportsModule {}
