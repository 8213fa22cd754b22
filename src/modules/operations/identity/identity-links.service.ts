import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DecideCandidate, LinkDecision, LinkEntities, LinkList, LinkQuery } from './identity.dto.js';
import { linkDecided } from './identity.events.js';
import { IdentityEvidenceMissing, IdentityLinkDecided, IdentityLinkUnknown } from './identity.problems.js';
import { IdentityStore } from './identity.store.js';
import { EVIDENCE_KINDS, type LinkStatus } from './identity.types.js';
import { identityLinkOf } from './identity.views.js';
import { IdentityLinkRow } from './identity-link.entity.js';
import { findPairs, inOrder } from './identity-pairs.rules.js';

const MAX_LINKED = 1_000;

type Decision = Exclude<LinkStatus, 'candidate'>;

/** From which state a pair may come to which: what was decided can be taken back. */
const FROM: Record<Decision, readonly LinkStatus[]> = {
  linked: ['candidate', 'rejected', 'unlinked'],
  rejected: ['candidate'],
  unlinked: ['linked'],
};

/** Decides on pairs of entities, and resolves an entity to those it is linked to. Nothing is merged. */
@Injectable()
export class IdentityLinksService {
  private readonly rows: TenantRepository<IdentityLinkRow>;

  constructor(
    tenancy: Tenancy,
    private readonly tenants: TenantResolver,
    private readonly store: IdentityStore,
    private readonly audit: AuditTrail,
  ) {
    this.rows = new TenantRepository(tenancy, IdentityLinkRow);
  }

  list(caller: DaemonCaller, { entity, limit, cursor, tenant_id }: LinkQuery): Promise<LinkList> {
    const after = decodeCursor(cursor, ['uuid']);
    return this.tenants.run(caller, tenant_id, async () => {
      const linked = entity === undefined ? undefined : await this.store.findSet(entity, MAX_LINKED);
      // Both ends of a link are in the set, or neither is.
      const filter = { status: 'linked' as const, entity: linked && In(linked) };
      const rows = await this.rows.list(filter, { order: { linkId: 'desc' }, after, take: limit + 1 });
      const { page, has_more, next_cursor } = takePage(rows, limit, ({ linkId }) => [linkId]);
      const now = await this.store.findIdentifiers(page.flatMap((row) => [row.entity, row.other]));
      const links = page.map((row) => identityLinkOf(row, now));
      const position = { count: page.length, has_more, next_cursor };
      return { links, ...position, ...(linked && { linked }) };
    });
  }

  /** @throws IdentityLinkUnknown, IdentityLinkDecided; IdentityEvidenceMissing where a link would rest on nothing */
  decide(
    caller: DaemonCaller,
    linkId: string,
    decision: Decision,
    { reason, tenant_id }: DecideCandidate,
  ): Promise<LinkDecision> {
    return this.tenants.write(caller, tenant_id, async () => {
      const row = await this.rows.find({ linkId }, 'no key update');
      if (!row)
        throw new IdentityLinkUnknown({ link_id: linkId }, 'GET /v1/identity/candidates lists the pairs there are');
      return this.move(caller, row, decision, reason);
    });
  }

  /**
   * Links two entities that have an identifier in common now. One that was rejected or taken back stays so.
   * @throws IdentityEvidenceMissing, IdentityLinkDecided, ValidationFailed
   */
  link(caller: DaemonCaller, { reason, tenant_id, ...named }: LinkEntities): Promise<LinkDecision> {
    if (named.entity === named.other) throw invalid('body.other', 'is the same entity; name another one');
    const [entity, other] = inOrder(named.entity, named.other);
    return this.tenants.write(caller, tenant_id, async () => {
      const [pair] = findPairs(await this.store.findIdentifiers([entity, other]), EVIDENCE_KINDS).pairs;
      if (pair) {
        const draft = { ...pair, linkId: uuid(), status: 'candidate' as const, proposedBy: caller.principal };
        await this.rows.insertNew({ ...draft, decidedBy: null, decidedAt: null, reason: null });
      }
      const row = await this.rows.find({ entity, other }, 'no key update');
      if (!row) throw evidenceMissing(entity, other);
      if (row.status === 'rejected' || row.status === 'unlinked') throw decided(row);
      return this.move(caller, row, 'linked', reason);
    });
  }

  /** What is so already stays, and leaves no receipt. */
  private async move(
    caller: DaemonCaller,
    row: IdentityLinkRow,
    status: Decision,
    reason: string | undefined,
  ): Promise<LinkDecision> {
    const now = await this.store.findIdentifiers([row.entity, row.other]);
    const view = identityLinkOf(row, now);
    if (row.status === status) return { link: view, receipt_id: null };
    if (!FROM[status].includes(row.status)) throw decided(row);
    if (status === 'linked' && view.evidence_state !== 'stands') throw evidenceMissing(row.entity, row.other);
    const changed = await this.rows.updateOne(
      { linkId: row.linkId },
      { status, reason: reason ?? null, decidedBy: caller.principal, decidedAt: () => 'clock_timestamp()' },
    );
    const { receiptId } = await this.audit.record(caller, linkDecided(changed));
    return { link: identityLinkOf(changed, now), receipt_id: receiptId };
  }
}

const evidenceMissing = (...entities: string[]): IdentityEvidenceMissing =>
  new IdentityEvidenceMissing(
    { entities },
    'Store what they have in common as facts that are not private, under the keys of docs/identity.md',
  );

const decided = ({ linkId, status }: IdentityLinkRow): IdentityLinkDecided =>
  new IdentityLinkDecided({ link_id: linkId, link_status: status }, REMEDIES[status]);

const REMEDIES: Record<LinkStatus, string> = {
  candidate: 'It is a candidate: accept or reject it',
  linked: 'It is linked: DELETE /v1/identity/links/{id} takes that back',
  rejected: 'It was rejected: POST /v1/identity/candidates/{id}/accept links it all the same',
  unlinked: 'The link was taken back: POST /v1/identity/candidates/{id}/accept links it again',
};
