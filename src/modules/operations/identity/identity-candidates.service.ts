import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { lockToCopy } from '../../../common/tenancy/copied-texts.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type {
  IdentityCandidateList,
  IdentityCandidateQuery,
  IdentityLink,
  ProposeCandidates,
  ProposedCandidates,
} from './identity.dto.js';
import { candidatesProposed } from './identity.events.js';
import { IdentityStore } from './identity.store.js';
import { EVIDENCE_KINDS, type EvidenceKind, type Pair } from './identity.types.js';
import { identityLinkOf } from './identity.views.js';
import { IdentityLinkRow } from './identity-link.entity.js';
import { findPairs } from './identity-pairs.rules.js';

/** Facts that one look goes through, pairs that it keeps, and those of them that the answer shows. */
const MAX_IDENTIFIERS = 200_000;
const MAX_NEW_PAIRS = 2_000;
const MAX_SHOWN = 50;

/** Proposes pairs of entities that have an identifier in common. */
@Injectable()
export class IdentityCandidatesService {
  private readonly rows: TenantRepository<IdentityLinkRow>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly tenants: TenantResolver,
    private readonly store: IdentityStore,
    private readonly audit: AuditTrail,
  ) {
    this.rows = new TenantRepository(tenancy, IdentityLinkRow);
  }

  /** @throws ValidationFailed */
  propose(caller: DaemonCaller, { kinds, entity, tenant_id }: ProposeCandidates): Promise<ProposedCandidates> {
    const wanted = kindsOf(kinds);
    return this.tenants.write(caller, tenant_id, async () => {
      await lockToCopy(this.tenancy);
      const identifiers = await this.store.listIdentifiers(MAX_IDENTIFIERS + 1);
      const { pairs, tooCommon } = findPairs(identifiers, wanted);
      const meant = entity === undefined ? pairs : pairs.filter((pair) => [pair.entity, pair.other].includes(entity));
      const fresh = await this.withoutKnown(meant);
      const rows = await this.keep(caller, fresh.slice(0, MAX_NEW_PAIRS));
      const recorded = rows.length === 0 ? undefined : await this.audit.record(caller, candidatesProposed(rows));
      return {
        proposed: rows.length,
        known: meant.length - fresh.length,
        too_common: tooCommon,
        truncated: identifiers.length > MAX_IDENTIFIERS || fresh.length > MAX_NEW_PAIRS,
        candidates: await this.show(rows.slice(0, MAX_SHOWN)),
        receipt_id: recorded?.receiptId ?? null,
      };
    });
  }

  list(
    caller: DaemonCaller,
    { status, limit, cursor, tenant_id }: IdentityCandidateQuery,
  ): Promise<IdentityCandidateList> {
    const after = decodeCursor(cursor, ['uuid']);
    return this.tenants.run(caller, tenant_id, async () => {
      const rows = await this.rows.list({ status }, { order: { linkId: 'desc' }, after, take: limit + 1 });
      const { page, has_more, next_cursor } = takePage(rows, limit, ({ linkId }) => [linkId]);
      const candidates = await this.show(page);
      return { candidates, count: page.length, has_more, next_cursor };
    });
  }

  private async withoutKnown(pairs: readonly Pair[]): Promise<Pair[]> {
    const known = new Set((await this.store.findKnown(pairs)).map(nameOf));
    return pairs.filter((pair) => !known.has(nameOf(pair)));
  }

  private keep({ principal }: DaemonCaller, pairs: readonly Pair[]): Promise<IdentityLinkRow[]> {
    const drafts = pairs.map((pair) => ({
      ...{ ...pair, linkId: uuid(), status: 'candidate' as const, proposedBy: principal },
      ...{ decidedBy: null, decidedAt: null, reason: null },
    }));
    return this.rows.insertAllNew(drafts);
  }

  private async show(rows: readonly IdentityLinkRow[]): Promise<IdentityLink[]> {
    const now = await this.store.findIdentifiers(rows.flatMap(({ entity, other }) => [entity, other]));
    return rows.map((row) => identityLinkOf(row, now));
  }
}

const nameOf = ({ entity, other }: Pick<Pair, 'entity' | 'other'>): string => JSON.stringify([entity, other]);

/** @throws ValidationFailed */
function kindsOf(names: readonly string[] | undefined): readonly EvidenceKind[] {
  if (names === undefined) return EVIDENCE_KINDS;
  const isKnown = (name: string): name is EvidenceKind => (EVIDENCE_KINDS as readonly string[]).includes(name);
  const known = names.filter(isKnown);
  if (known.length < names.length) throw invalid('body.kinds', `lists some of ${EVIDENCE_KINDS.join(', ')}`);
  return known;
}
