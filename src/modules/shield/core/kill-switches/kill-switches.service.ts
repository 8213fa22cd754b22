import { Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { invalid } from '../../../../common/problem/common-problems.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { PolicyService } from '../policy/policy.service.js';
import { KillSwitchLifted, KillSwitchOnCaller, KillSwitchUnknown } from '../shield.problems.js';
import { TargetsService } from '../targets.service.js';
import type {
  KillSwitch,
  KillSwitchChanged,
  KillSwitchList,
  KillSwitchListQuery,
  KillSwitchRequest,
} from './kill-switches.dto.js';
import { SWITCH_LIFTED, SWITCH_SET } from './kill-switches.events.js';
import type { KillSwitchRow } from './kill-switch.entity.js';
import { KillSwitchesStore } from './kill-switches.store.js';

/** Sets and lifts kill switches; every process follows when it commits. */
@Injectable()
export class KillSwitchesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly switches: KillSwitchesStore,
    private readonly policy: PolicyService,
    private readonly targets: TargetsService,
  ) {}

  async set(caller: TenantCaller, request: KillSwitchRequest): Promise<KillSwitchChanged> {
    const { scope, mode, includeReads, reason, expiresAt = null } = request;
    const target = this.targets.targetOf(scope, request.target);
    if (expiresAt !== null && Date.parse(expiresAt) <= Date.now())
      throw invalid('body.expiresAt', 'must be in the future');
    const row = await this.switches.set({
      killSwitchId: uuid(),
      scope,
      target,
      mode,
      includeReads,
      reason,
      createdBy: caller.principal,
      expiresAt: expiresAt === null ? null : new Date(expiresAt),
    });
    return this.changed(caller, row, { kind: SWITCH_SET, reason });
  }

  /** @throws KillSwitchUnknown, KillSwitchOnCaller, KillSwitchLifted */
  async lift(caller: TenantCaller, killSwitchId: string, reason: string): Promise<KillSwitchChanged> {
    const found = await this.switches.find(killSwitchId);
    if (!found) throw new KillSwitchUnknown({ killSwitchId }, 'GET /v1/shield/kill-switches lists those of the tenant');
    if (found.scope === 'principal' && found.target === caller.principal)
      throw new KillSwitchOnCaller({ killSwitchId }, ANOTHER_LIFTS);
    const row = await this.switches.lift(killSwitchId, caller.principal, reason);
    if (!row) throw new KillSwitchLifted({ killSwitchId }, 'It stops nothing any more');
    return this.changed(caller, row, { kind: SWITCH_LIFTED, reason });
  }

  async list(caller: TenantCaller, query: KillSwitchListQuery): Promise<KillSwitchList> {
    const after = decodeCursor(query.cursor, ['uuid']);
    const rows = await this.tenancy.run(caller.tenantId, () => this.switches.list(query, after, query.limit + 1));
    const { page, next_cursor } = takePage(rows, query.limit, (row) => [row.killSwitchId]);
    return { killSwitches: page.map(toKillSwitch), next_cursor };
  }

  private async changed(
    caller: TenantCaller,
    row: KillSwitchRow,
    { kind, reason }: { kind: string; reason: string },
  ): Promise<KillSwitchChanged> {
    const { killSwitchId: subject, scope, target, mode, includeReads } = row;
    const policyVersion = await this.policy.change(caller, {
      kind,
      subject,
      reason,
      facts: { scope, target, mode, includeReads, expiresAt: row.expiresAt?.toISOString() ?? null },
    });
    return { ...toKillSwitch(row), policyVersion };
  }
}

const ANOTHER_LIFTS =
  'It stops this key or seat, and another owner lifts it. Where there is none, the operator makes a key: svc key create';

export const toKillSwitch = (row: KillSwitchRow): KillSwitch => ({
  killSwitchId: row.killSwitchId,
  scope: row.scope,
  target: row.target,
  mode: row.mode,
  includeReads: row.includeReads,
  reason: row.reason,
  active: row.isActive,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt?.toISOString() ?? null,
  liftedBy: row.liftedBy,
  liftedAt: row.liftedAt?.toISOString() ?? null,
  liftReason: row.liftReason,
});
