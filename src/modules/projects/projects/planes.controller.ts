import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { CreatePlane, Plane, PlaneDeleted, PlaneList } from './planes.dto.js';
import { PlanesService } from './planes.service.js';
import { PlanePath, ProjectPath } from './project-paths.dto.js';
import {
  PassportUnknown,
  PlaneKnown,
  PlaneUnknown,
  ProjectArchived,
  ProjectFull,
  ProjectUnknown,
} from './projects.problems.js';

const tag = 'projects';
const access = anyOf('admin:read');
const reply = ok(Plane);

@Controller()
export class PlanesController {
  constructor(private readonly planes: PlanesService) {}

  @Route('GET /v1/projects/:id/planes', {
    ...{ tag, summary: 'List the planes of a project', access, reply: ok(PlaneList) },
    // The specification states 409 of the address, whatever the method.
    problems: [ProjectUnknown, PlaneKnown],
  })
  listPlanes(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ProjectPath,
    @Query() query: PageQuery,
  ): Promise<PlaneList> {
    return this.planes.list(caller, id, query);
  }

  @Route('POST /v1/projects/:id/planes', {
    ...{ tag, summary: 'Create a plane of a project', access, reply },
    description: 'A part of a project with members, tenants, repositories and layers of its own.',
    problems: [ProjectUnknown, ProjectArchived, ProjectFull, PlaneKnown, PassportUnknown],
  })
  createPlane(@Caller() caller: DaemonCaller, @Param() { id }: ProjectPath, @Body() body: CreatePlane): Promise<Plane> {
    return this.planes.create(caller, id, body);
  }

  @Route('GET /v1/projects/:id/planes/:planeId', {
    ...{ tag, summary: 'Read a plane with its links', access, reply },
    problems: [ProjectUnknown, PlaneUnknown],
  })
  readPlane(@Caller() caller: DaemonCaller, @Param() { id, planeId }: PlanePath): Promise<Plane> {
    return this.planes.read(caller, id, planeId);
  }

  @Route('DELETE /v1/projects/:id/planes/:planeId', {
    ...{ tag: 'project removal', summary: 'Delete a plane', access, reply: ok(PlaneDeleted) },
    description:
      "Its members and tenant links go, and its repositories are the project's alone. Its layers and receipts stay, and no other plane gets its id.",
    problems: [ProjectUnknown, ProjectArchived, PlaneUnknown],
  })
  deletePlane(@Caller() caller: DaemonCaller, @Param() { id, planeId }: PlanePath): Promise<PlaneDeleted> {
    return this.planes.remove(caller, id, planeId);
  }
}
