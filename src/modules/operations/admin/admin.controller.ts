import { Body, Controller } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { accepted, anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import {
  CompactReply,
  CompactRequest,
  OperatorVersion,
  RestartAccepted,
  RestartRequest,
  SealReply,
  TenantChoice,
} from './admin.dto.js';
import { NoSupervisor } from './admin.problems.js';
import { AdminService } from './admin.service.js';
import { UpkeepService } from './upkeep.service.js';

const tag = 'admin';

@Controller()
export class AdminController {
  constructor(
    private readonly admin: AdminService,
    private readonly upkeep: UpkeepService,
  ) {}

  @Route('GET /v1/admin/version', {
    tag,
    summary: 'Read version, runtime, migrations and flags',
    access: anyOf('admin:read'),
    reply: ok(OperatorVersion),
  })
  readOperatorVersion(): Promise<OperatorVersion> {
    return this.admin.readVersion();
  }

  @Route('POST /v1/admin/restart', {
    tag,
    summary: 'Restart the daemon',
    description:
      'Leaves a receipt and answers; then the daemon answers what is in flight, ends, and the supervisor of "svc start" starts it again. Until it listens, connections are refused: try again. 501 where the daemon runs by itself.',
    access: anyOf('admin:write'),
    ofServer: true,
    reply: accepted(RestartAccepted),
    problems: [NoSupervisor],
  })
  restartDaemon(@Caller() caller: DaemonCaller, @Body() body: RestartRequest): Promise<RestartAccepted> {
    return this.admin.restart(caller, body);
  }

  @Route('POST /v1/admin/force-seal', {
    tag,
    flag: 'forceSeal',
    summary: 'Seal what is open',
    description:
      'The facts of the tenant that no segment of the index holds yet, and the records of the evidence log that have no leaf yet, under a signed checkpoint. Both happen by themselves within seconds; this is for a backup or a handover.',
    extension: true,
    access: anyOf('admin:write'),
    reply: ok(SealReply),
  })
  forceSeal(@Caller() caller: DaemonCaller, @Body() body: TenantChoice): Promise<SealReply> {
    return this.upkeep.seal(caller, body);
  }

  @Route('POST /v1/admin/compact-facts', {
    tag,
    summary: 'Remove deleted facts for good',
    description:
      'Records of deleted facts leave the tables and the index; with SVCD_RETENTION_DAYS versions go too that were retired so many days ago. What a legal hold pins stays and is counted. A receipt names the leaves that went. At most limit records a call: call it again until complete is true. It does not rewrite the files of the database, as POST /v1/facts/erase does.',
    extension: true,
    access: anyOf('admin:write'),
    reply: ok(CompactReply),
  })
  compactFacts(@Caller() caller: DaemonCaller, @Body() body: CompactRequest): Promise<CompactReply> {
    return this.upkeep.compact(caller, body);
  }
}
