import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../../common/evidence-log/audit-trail.js';
import { invalid } from '../../../../common/problem/common-problems.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../../guards/tenant-resolver.js';
import { PASSPORT } from '../../../../common/fields/passport.js';
import { isMovePattern, MOVE_NAMES } from '../moves.rules.js';
import { distinct } from '../work.rules.js';
import type { GatePolicy, GatePolicyQuery, SetGatePolicy } from './gates.dto.js';
import { GatePolicyChanged } from './gates.problems.js';
import { GatesStore } from './gates.store.js';
import { policyOf } from './gates.views.js';

/** What projects let through with an approval alone, on top of what every project does. */
@Injectable()
export class GatePoliciesService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly store: GatesStore,
    private readonly audit: AuditTrail,
  ) {}

  read(caller: DaemonCaller, { project_id }: GatePolicyQuery): Promise<GatePolicy> {
    return this.tenants.run(caller, undefined, async () =>
      policyOf(project_id, await this.store.policies.find({ projectId: project_id })),
    );
  }

  /** @throws ValidationFailed, GatePolicyChanged */
  set(caller: DaemonCaller, request: SetGatePolicy): Promise<GatePolicy> {
    const { project_id: projectId, may_decide: mayDecide = null, base_version: base } = request;
    const moves = distinct(request.moves);
    checkMoves(moves);
    checkPassports(mayDecide ?? []);
    return this.tenants.write(caller, undefined, async () => {
      await this.tenancy.lock('gate policy', projectId);
      const known = await this.store.policies.find({ projectId });
      const version = known?.version ?? 0;
      if (base !== undefined && base !== version)
        throw new GatePolicyChanged({ project_id: projectId, version }, `It is at version ${version}; read it again`);
      const changedBy = caller.passport ?? caller.principal;
      const values = { projectId, moves, mayDecide, version: version + 1, changedBy, changedAt: () => 'now()' };
      const row = await this.store.policies.put(values, ['moves', 'mayDecide', 'version', 'changedBy', 'changedAt']);
      const facts = { projectId, moves, mayDecide, version: row.version };
      await this.audit.record(caller, { kind: 'gate.policy_changed', subject: projectId, facts });
      return policyOf(projectId, row);
    });
  }
}

function checkMoves(moves: readonly string[]): void {
  const place = moves.findIndex((move) => !isMovePattern(move));
  if (place >= 0)
    throw invalid(
      `body.moves[${place}]`,
      `names no move; those there are: ${MOVE_NAMES.join(', ')}, or with * for a state`,
    );
}

function checkPassports(passports: readonly string[]): void {
  const place = passports.findIndex((passport) => !PASSPORT.test(passport));
  if (place >= 0) throw invalid(`body.may_decide[${place}]`, 'is no passport: 1 to 128 letters, digits, . _ : or -');
}
