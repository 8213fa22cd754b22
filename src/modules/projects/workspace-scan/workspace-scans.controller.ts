import { Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { accepted, anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { ScanList, ScanPath, ScanReply, WorkspaceScan } from './workspace-scan.dto.js';
import { ScanUnknown, WorkspaceUnset } from './workspace-scan.problems.js';
import { WorkspaceScansService } from './workspace-scans.service.js';

const tag = 'workspace';
const reads = anyOf('admin:read');

@Controller()
export class WorkspaceScansController {
  constructor(private readonly scans: WorkspaceScansService) {}

  @Route('POST /v1/workspace/scan', {
    tag,
    summary: 'Scan the workspace',
    description:
      'Looks through the folder of SVCD_WORKSPACE_ROOT for files and the symbols that they declare: a durable job, one at a time of a tenant. What git ignores is left out, links are not followed. GET /v1/workspace/scans/{scanId} says how far it is and what it left out; the files are nodes of the context graph.',
    access: anyOf('admin:write', 'facts:write', 'integrations:install'),
    reply: accepted(ScanReply),
    problems: [WorkspaceUnset],
  })
  scanWorkspace(@Caller() caller: DaemonCaller): Promise<ScanReply> {
    return this.scans.start(caller);
  }

  @Route('GET /v1/workspace/scans', {
    ...{ tag, extension: true, summary: 'List scans of the workspace', access: reads, reply: ok(ScanList) },
  })
  listWorkspaceScans(@Caller() caller: DaemonCaller, @Query() query: PageQuery): Promise<ScanList> {
    return this.scans.list(caller, query);
  }

  @Route('GET /v1/workspace/scans/:scanId', {
    ...{ tag, extension: true, summary: 'Read a scan of the workspace', access: reads, reply: ok(WorkspaceScan) },
    description: 'Its state, how far it is, and what it left out and why.',
    problems: [ScanUnknown],
  })
  readWorkspaceScan(@Caller() caller: DaemonCaller, @Param() { scanId }: ScanPath): Promise<WorkspaceScan> {
    return this.scans.read(caller, scanId);
  }
}
