import { Module } from '@nestjs/common';
import { PassportRegistryModule } from '../../operations/passports/passport-registry.module.js';
import { KnownPassports } from './known-passports.js';
import { ProjectWritesService } from './project-writes.service.js';
import { ProjectsStore } from './projects.store.js';

/** Writes projects in the unit of work of others: no routes, no caller of the daemon. */
@Module({
  imports: [PassportRegistryModule],
  providers: [ProjectWritesService, ProjectsStore, KnownPassports],
  exports: [ProjectWritesService, ProjectsStore, KnownPassports],
})
export class ProjectWritesModule {}
