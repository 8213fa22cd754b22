import { Module } from '@nestjs/common';
import { PlanesController } from './planes.controller.js';
import { PlanesService } from './planes.service.js';
import { ProjectLinksController } from './project-links.controller.js';
import { ProjectLinksService } from './project-links.service.js';
import { ProjectReposController } from './project-repos.controller.js';
import { ProjectReposService } from './project-repos.service.js';
import { ProjectWritesModule } from './project-writes.module.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsService } from './projects.service.js';

/**
 * Projects with their passports, tenants, repositories and planes (memory-daemon.md 2.4, 4.10; D65). Who is named here
 * gets no access by it.
 */
@Module({
  imports: [ProjectWritesModule],
  controllers: [ProjectsController, PlanesController, ProjectLinksController, ProjectReposController],
  providers: [ProjectsService, PlanesService, ProjectLinksService, ProjectReposService],
  exports: [ProjectsService, PlanesService, ProjectLinksService, ProjectReposService],
})
export class ProjectsModule {}
