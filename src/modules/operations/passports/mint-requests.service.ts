import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { isNobody, isRequester, partyOf, type Party } from '../../../common/bearer-auth/party.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { MintRequestRow } from './mint-request.entity.js';
import type {
  AskForPassport,
  DecideMintRequest,
  MintedPassport,
  MintRequestList,
  MintRequestQuery,
  MintRequestReply,
} from './mint-requests.dto.js';
import { mintChange } from './passports.events.js';
import { MayNotMint, MintRequestDecided, MintRequestUnknown } from './passports.problems.js';
import { PassportRegistry } from './passport-registry.service.js';
import { PassportsService } from './passports.service.js';
import type { MintStatus } from './passports.types.js';
import { mintRequestOf, passportOf } from './passports.views.js';

type Decision = Exclude<MintStatus, 'pending'>;

/** Requests for passports. Whoever asked never decides. */
@Injectable()
export class MintRequestsService {
  private readonly rows: TenantRepository<MintRequestRow>;

  constructor(
    private readonly tenants: TenantResolver,
    tenancy: Tenancy,
    private readonly passports: PassportsService,
    private readonly registry: PassportRegistry,
    private readonly audit: AuditTrail,
  ) {
    this.rows = new TenantRepository(tenancy, MintRequestRow);
  }

  /** @throws ValidationFailed, PassportHeaderMismatch, PassportKnown */
  ask(caller: DaemonCaller, request: AskForPassport): Promise<MintRequestReply> {
    const by = partyOf(caller, request.by_passport, 'body.by_passport');
    if (isNobody(by)) throw invalid('body.by_passport', 'is needed, or X-Svc-Passport-Id: nothing says who asks');
    return this.tenants.write(caller, request.tenant_id, async () => {
      const draft = this.passports.draftOf(request);
      await this.registry.checkFree(draft.passportId);
      const row = await this.rows.insert({
        ...{ ...draft, requestId: uuid(), why: request.why ?? null },
        ...{ requestedPassport: by.passport ?? null, requestedPrincipal: by.principal },
      });
      await this.audit.record(caller, mintChange('requested', row));
      return { mint_request: mintRequestOf(row) };
    });
  }

  list(caller: DaemonCaller, { tenant_id, status, limit, cursor }: MintRequestQuery): Promise<MintRequestList> {
    const after = decodeCursor(cursor, ['uuid']);
    return this.tenants.run(caller, tenant_id, async () => {
      const rows = await this.rows.list({ status }, { order: { requestId: 'desc' }, after, take: limit + 1 });
      const { page, next_cursor } = takePage(rows, limit, ({ requestId }) => [requestId]);
      const mint_requests = page.map(mintRequestOf);
      return { mint_requests, count: page.length, has_more: next_cursor !== null, next_cursor };
    });
  }

  /** @throws MintRequestUnknown */
  read(caller: DaemonCaller, requestId: string): Promise<MintRequestReply> {
    return this.tenants.run(caller, undefined, async () => ({
      mint_request: mintRequestOf(found(requestId, await this.rows.find({ requestId }))),
    }));
  }

  /**
   * Registers the passport, as the decision and in the same transaction.
   * @throws MintRequestUnknown, MayNotMint, MintRequestDecided, PassportKnown where somebody registered it meanwhile
   */
  approve(caller: DaemonCaller, requestId: string, request: DecideMintRequest): Promise<MintedPassport> {
    return this.decide(caller, requestId, { request, decision: 'approved' }, async (row) => {
      const { passportId, displayName, kind, publicKey, fingerprint, attested } = row;
      const draft = { passportId, displayName, kind, publicKey, fingerprint, attested };
      const passport = passportOf(await this.registry.register(caller, draft, { requestId }));
      return { mint_request: mintRequestOf(row), passport };
    });
  }

  /** @throws MintRequestUnknown, MayNotMint, MintRequestDecided */
  reject(caller: DaemonCaller, requestId: string, request: DecideMintRequest): Promise<MintRequestReply> {
    return this.decide(caller, requestId, { request, decision: 'rejected' }, async (row) => ({
      mint_request: mintRequestOf(row),
    }));
  }

  private decide<T>(
    caller: DaemonCaller,
    requestId: string,
    { request, decision }: { request: DecideMintRequest; decision: Decision },
    follow: (row: MintRequestRow) => Promise<T>,
  ): Promise<T> {
    const by = partyOf(caller, request.approver_passport, 'body.approver_passport');
    const { reason = null } = request;
    return this.tenants.write(caller, undefined, async () => {
      const row = found(requestId, await this.rows.find({ requestId }, 'no key update'));
      checkMayDecide(row, by);
      const decided = await this.rows.updateOne(
        { requestId },
        {
          ...{ status: decision, reason, decidedPassport: by.passport ?? null, decidedPrincipal: by.principal },
          decidedAt: () => 'clock_timestamp()',
        },
      );
      await this.audit.record(
        caller,
        mintChange(decision, decided, { decidedPassport: decided.decidedPassport, reason }),
      );
      return follow(decided);
    });
  }
}

/** @throws MayNotMint, MintRequestDecided */
function checkMayDecide(row: MintRequestRow, by: Party): void {
  const { requestId, status } = row;
  const { requested_by, decided_by, decided_at } = mintRequestOf(row);
  if (isNobody(by))
    throw new MayNotMint(
      { mint_request_id: requestId },
      'Nothing says who decides: send approver_passport, or X-Svc-Passport-Id',
    );
  if (isRequester(by, row))
    throw new MayNotMint({ mint_request_id: requestId }, `${requested_by} asked for it, and another has to decide`);
  if (status === 'pending') return;
  throw new MintRequestDecided(
    { mint_request_id: requestId, decision: status, decided_by },
    `It was ${status} by ${decided_by ?? 'nobody'} at ${decided_at ?? 'no time'}; ask again where it is still wanted`,
  );
}

/** @throws MintRequestUnknown */
function found(requestId: string, row: MintRequestRow | undefined): MintRequestRow {
  if (row) return row;
  throw new MintRequestUnknown({ mint_request_id: requestId }, 'GET /v1/passport/mint-requests lists those there are');
}
