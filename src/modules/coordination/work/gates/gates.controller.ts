import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../../common/contract/caller.js';
import { anyOf, ok } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { WorkUnknown } from '../work.problems.js';
import { GatePoliciesService } from './gate-policies.service.js';
import {
  DecideGate,
  DecideGateBy,
  GatePath,
  GatePolicy,
  GatePolicyQuery,
  GateResolution,
  PendingGates,
  PendingGatesQuery,
  SetGatePolicy,
  WithdrawGate,
} from './gates.dto.js';
import { GateDecided, GatePolicyChanged, GateUnknown, MayNotDecide } from './gates.problems.js';
import { GatesService } from './gates.service.js';

const tag = 'work';
const reading = { tag, access: anyOf('admin:read') };
const writing = { tag, access: anyOf('facts:write'), tenantBound: true } as const;
const extension = true;
const problems = [GateUnknown, GateDecided, MayNotDecide, WorkUnknown];
const DECIDES =
  'Who asked never decides, by whatever name or credential. Of several who decide at once one does; the others get 409 with that decision, as does who comes after seven days or after a change of the item.';

@Controller()
export class GatesController {
  constructor(
    private readonly gates: GatesService,
    private readonly policies: GatePoliciesService,
  ) {}

  @Route('GET /v1/work/gate/pending', { ...reading, summary: 'List pending gates', reply: ok(PendingGates) })
  listPendingGates(@Caller() caller: DaemonCaller, @Query() query: PendingGatesQuery): Promise<PendingGates> {
    return this.gates.list(caller, query);
  }

  @Route('GET /v1/work/gate/policy', {
    ...{ ...reading, extension },
    summary: 'Read the gate policy of a project',
    reply: ok(GatePolicy),
  })
  readGatePolicy(@Caller() caller: DaemonCaller, @Query() query: GatePolicyQuery): Promise<GatePolicy> {
    return this.policies.read(caller, query);
  }

  @Route('PUT /v1/work/gate/policy', {
    ...{ tag, extension, access: anyOf('admin:write') },
    summary: 'Set the gate policy of a project',
    description:
      'Which moves of its work need an approval, and who may decide. Gates that are pending keep what they were asked under.',
    reply: ok(GatePolicy),
    problems: [GatePolicyChanged],
    tried: { body: { project_id: 'web' } },
  })
  setGatePolicy(@Caller() caller: DaemonCaller, @Body() body: SetGatePolicy): Promise<GatePolicy> {
    return this.policies.set(caller, body);
  }

  @Route('GET /v1/work/gate/:actionId/state', {
    ...{ tag, extension, access: anyOf('admin:read', 'facts:write') },
    summary: 'Read a gate',
    description: 'What is asked for, and what became of it.',
    reply: ok(GateResolution),
    problems: [GateUnknown],
    tried: { from: { actionId: 'changeWork#/queued/0/action_id' } },
  })
  readGate(@Caller() caller: DaemonCaller, @Param() { actionId }: GatePath): Promise<GateResolution> {
    return this.gates.read(caller, actionId);
  }

  @Route('POST /v1/work/gate/:actionId/approve', {
    ...{ ...writing, problems },
    summary: 'Approve a pending gate',
    description: `The move takes place at once. ${DECIDES}`,
    reply: ok(GateResolution),
    tried: { body: { approver_passport: 'ada' }, from: { actionId: 'changeWork#/queued/0/action_id' } },
  })
  approveGate(
    @Caller() caller: DaemonCaller,
    @Param() { actionId }: GatePath,
    @Body() body: DecideGate,
  ): Promise<GateResolution> {
    return this.gates.decide(caller, actionId, 'approved', body);
  }

  @Route('POST /v1/work/gate/:actionId/reject', {
    ...{ ...writing, problems },
    summary: 'Reject a pending gate',
    description: `The item stays as it is. ${DECIDES}`,
    reply: ok(GateResolution),
  })
  rejectGate(
    @Caller() caller: DaemonCaller,
    @Param() { actionId }: GatePath,
    @Body() body: DecideGate,
  ): Promise<GateResolution> {
    return this.gates.decide(caller, actionId, 'rejected', body);
  }

  @Route('POST /v1/work/gate/:actionId/decide', {
    ...{ ...writing, problems, extension },
    summary: 'Approve or reject a pending gate',
    description: `The two routes as one, for tools. ${DECIDES}`,
    reply: ok(GateResolution),
  })
  decideGate(
    @Caller() caller: DaemonCaller,
    @Param() { actionId }: GatePath,
    @Body() { decision, ...request }: DecideGateBy,
  ): Promise<GateResolution> {
    return this.gates.decide(caller, actionId, decision === 'approve' ? 'approved' : 'rejected', request);
  }

  @Route('POST /v1/work/gate/:actionId/withdraw', {
    ...{ ...writing, problems, extension },
    summary: 'Take back a request for an approval',
    description: 'For who asked, and nobody else.',
    reply: ok(GateResolution),
  })
  withdrawGate(
    @Caller() caller: DaemonCaller,
    @Param() { actionId }: GatePath,
    @Body() body: WithdrawGate,
  ): Promise<GateResolution> {
    return this.gates.withdraw(caller, actionId, body);
  }
}
