import { Module } from '@nestjs/common';
import { ScreeningModule } from '../../../common/screening/screening.module.js';
import { GraphImportsModule } from '../graph/graph-imports.module.js';
import { EngramImportsService } from './engram-imports.service.js';
import { EngramImportsStore } from './engram-imports.store.js';
import { EngramKindService } from './engram-kind.service.js';

/** The rules of the kind engram, and engrams written in the unit of work of others: no routes. */
@Module({
  imports: [GraphImportsModule, ScreeningModule],
  providers: [EngramKindService, EngramImportsService, EngramImportsStore],
  exports: [EngramKindService, EngramImportsService],
})
export class EngramImportsModule {}
