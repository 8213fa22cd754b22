import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { PASSPORT } from '../../../common/fields/passport.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { OrchestratedWork } from './orchestrated-work.dto.js';
import { OrchestratedWorkStore, type WorkMemberRow } from './orchestrated-work.store.js';
import type { OrchestratorRow } from './orchestrator.entity.js';
import type { AddOrchestratorMember, OrchestratorReply } from './orchestrators.dto.js';
import { orchestratorChange } from './orchestrators.events.js';
import {
  OrchestratorCycle,
  OrchestratorFull,
  OrchestratorMemberKnown,
  OrchestratorMemberUnknown,
} from './orchestrators.problems.js';
import { archived, OrchestratorsService } from './orchestrators.service.js';
import { OrchestratorsStore } from './orchestrators.store.js';
import type { MemberType } from './orchestrators.types.js';

/** A reply shows all members of one. */
const MAX_MEMBERS = 1_000;

/** Who and what is under an orchestrator, other orchestrators too, and the work behind them. */
@Injectable()
export class OrchestratorMembersService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly orchestrators: OrchestratorsService,
    private readonly store: OrchestratorsStore,
    private readonly work: OrchestratedWorkStore,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Added again, a member stays as it is.
   * @throws OrchestratorUnknown, OrchestratorArchived, OrchestratorCycle, OrchestratorFull, OrchestratorMemberKnown;
   * ValidationFailed for a ref of nothing
   */
  add(caller: DaemonCaller, id: string, member: AddOrchestratorMember): Promise<OrchestratorReply> {
    const { member_type: memberType, ref } = member;
    return this.tenants.write(caller, undefined, async () => {
      if (memberType === 'orchestrator') await this.store.lockNesting();
      const row = await this.findOpen(id);
      const known = await this.store.findMember(id, ref);
      if (known?.memberType === memberType) return this.orchestrators.show(row);
      if (known) throw otherType(ref, known.memberType);
      await this.checkRef(id, member);
      // What came with the row was counted before its lock was waited for.
      if ((await this.store.countMembers(id)) >= MAX_MEMBERS)
        throw new OrchestratorFull({ limit: MAX_MEMBERS }, 'Put some of them under an orchestrator of their own');
      await this.store.addMember({ orchestratorId: id, ref, memberType, addedBy: caller.principal });
      return this.record(caller, id, { change: 'member_added', memberType, ref });
    });
  }

  /** @throws OrchestratorUnknown, OrchestratorArchived, OrchestratorMemberUnknown */
  remove(caller: DaemonCaller, id: string, ref: string): Promise<OrchestratorReply> {
    return this.tenants.write(caller, undefined, async () => {
      await this.findOpen(id);
      const known = await this.store.findMember(id, ref);
      if (!known)
        throw new OrchestratorMemberUnknown(
          { orchestrator_id: id, ref },
          'GET /v1/orchestrators/{id} lists its members',
        );
      await this.store.removeMember(id, ref);
      return this.record(caller, id, { change: 'member_removed', memberType: known.memberType, ref });
    });
  }

  /** @throws OrchestratorUnknown */
  listWork(caller: DaemonCaller, id: string, { limit, cursor }: PageQuery): Promise<OrchestratedWork> {
    const after = decodeCursor(cursor, ['text', 'text']);
    return this.tenants.run(caller, undefined, async () => {
      await this.orchestrators.find(id);
      const rows = await this.work.listMembers(id, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.orchestrator_id, row.ref]);
      const states = await this.work.countStates(id);
      return { orchestrator_id: id, members: page.map(workMemberOf), count: page.length, states, next_cursor };
    });
  }

  /** Nobody else changes it until the unit of work ends. */
  private async findOpen(id: string): Promise<OrchestratorRow> {
    const row = await this.orchestrators.find(id, 'no key update');
    if (row.state === 'archived') throw archived(id);
    return row;
  }

  private async checkRef(id: string, { member_type: memberType, ref }: AddOrchestratorMember): Promise<void> {
    if (memberType === 'passport') {
      if (!PASSPORT.test(ref))
        throw invalid('body.ref', 'is no passport: 1 to 128 letters, digits, dots, underscores, colons or hyphens');
      return;
    }
    const isThere = memberType === 'work' ? await this.work.has(ref) : (await this.store.find(ref)) !== undefined;
    if (!isThere)
      throw invalid('body.ref', `names no ${memberType === 'work' ? 'work item' : 'orchestrator'} of this tenant`);
    if (memberType === 'orchestrator' && (await this.store.isBelow(id, ref)))
      throw new OrchestratorCycle(
        { orchestrator_id: id, ref },
        ref === id ? 'It cannot be a member of itself' : 'The other one has it below itself; remove it there first',
      );
  }

  private async record(caller: DaemonCaller, id: string, facts: object): Promise<OrchestratorReply> {
    const changed = await this.store.change(id);
    await this.audit.record(caller, orchestratorChange('changed', changed, facts));
    return this.orchestrators.show(changed);
  }
}

const otherType = (ref: string, member_type: MemberType): OrchestratorMemberKnown =>
  new OrchestratorMemberKnown({ ref, member_type }, 'Remove that one first; a ref is in an orchestrator once');

const workMemberOf = (row: WorkMemberRow) => ({ ...row, added_at: row.added_at.toISOString() });
