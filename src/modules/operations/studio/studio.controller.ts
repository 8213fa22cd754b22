import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { allOf, anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { LegalHold } from '../../../common/legal-holds/held-rows.js';
import { LayersFull } from '../../projects/layers/layers.problems.js';
import { ProjectArchived, ProjectUnknown } from '../../projects/projects/projects.problems.js';
import { InstallPackage, LibraryQuery, PackageInstalled, PackagePath, StudioLibraryReply } from './studio.dto.js';
import { InstallConflict, PackageChanged, PackageUnknown } from './studio.problems.js';
import { StudioService } from './studio.service.js';

const tag = 'studio';

@Controller()
export class StudioController {
  constructor(private readonly studio: StudioService) {}

  @Route('GET /v1/studio/library', {
    ...{ tag, summary: 'List the packages of the studio library', reply: ok(StudioLibraryReply) },
    description:
      'Packages of engrams, kinds and layers: those that come with svc, and those of SVCD_STUDIO_DIR; with what the tenant has installed of them. The digest of a package is over all its files.',
    access: anyOf('query:read', 'admin:read'),
  })
  listStudioLibrary(@Caller() caller: DaemonCaller, @Query() query: LibraryQuery): Promise<StudioLibraryReply> {
    return this.studio.list(caller, query);
  }

  @Route('POST /v1/studio/library/:id/install', {
    ...{ tag, summary: 'Install a package of the studio library', reply: ok(PackageInstalled) },
    description:
      'All of it or nothing: engrams and kinds as entities of the tenant, layers into a project. The same digest again changes nothing. What the tenant has changed, or has of its own, under a name of the package is a conflict: 409 names them all, unless `replace` is sent.',
    access: allOf('admin:read', 'facts:write'),
    problems: [
      ...[PackageUnknown, PackageChanged, InstallConflict],
      ...[ProjectUnknown, ProjectArchived, LayersFull, LegalHold],
    ],
  })
  installStudioPackage(
    @Caller() caller: DaemonCaller,
    @Param() { id }: PackagePath,
    @Body() body: InstallPackage,
  ): Promise<PackageInstalled> {
    return this.studio.install(caller, id, body);
  }
}
