import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { isNobody, isRequester, type Party } from '../../../common/bearer-auth/party.js';
import { AuditTrail, type Actor } from '../../../common/evidence-log/audit-trail.js';
import { isKeyOf } from '../../../common/keys/makers.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { MintRequestRow } from './mint-request.entity.js';
import type {
  AskForPassport,
  MintedPassport,
  MintRequestList,
  MintRequestQuery,
  MintRequestReply,
} from './mint-requests.dto.js';
import { mintChange } from './passports.events.js';
import { MayNotMint, MintRequestDecided, MintRequestUnknown } from './passports.problems.js';
import { PassportRegistry } from './passport-registry.service.js';
import { PassportRowsService } from './passport-rows.service.js';
import type { MintStatus } from './passports.types.js';
import { mintRequestOf, passportOf } from './passports.views.js';

type Decision = Exclude<MintStatus, 'pending'>;

/** Who decides: the actor of the receipt, the party that must not be the one that asked, and why. */
export interface Decider {
  actor: Actor;
  party: Party;
  reason: string | undefined;
}

/** Requests for passports of the open unit of work's tenant, for callers of the daemon and for the command line. */
@Injectable()
export class MintRequestRowsService {
  private readonly rows: TenantRepository<MintRequestRow>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly passports: PassportRowsService,
    private readonly registry: PassportRegistry,
    private readonly audit: AuditTrail,
  ) {
    this.rows = new TenantRepository(tenancy, MintRequestRow);
  }

  /** @throws ValidationFailed, PassportKnown */
  async ask(actor: Actor, by: Party, request: AskForPassport): Promise<MintRequestReply> {
    const draft = this.passports.draftOf(request);
    await this.registry.checkFree(draft.passportId);
    const row = await this.rows.insert({
      ...{ ...draft, requestId: uuid(), why: request.why ?? null },
      ...{ requestedPassport: by.passport ?? null, requestedPrincipal: by.principal },
      requestedSubject: by.subject ?? null,
    });
    await this.audit.record(actor, mintChange('requested', row));
    return { mint_request: mintRequestOf(row) };
  }

  async list({ status, limit, cursor }: Omit<MintRequestQuery, 'tenant_id'>): Promise<MintRequestList> {
    const after = decodeCursor(cursor, ['uuid']);
    const rows = await this.rows.list({ status }, { order: { requestId: 'desc' }, after, take: limit + 1 });
    const { page, has_more, next_cursor } = takePage(rows, limit, ({ requestId }) => [requestId]);
    const mint_requests = page.map(mintRequestOf);
    return { mint_requests, count: page.length, has_more, next_cursor };
  }

  /** @throws MintRequestUnknown */
  async read(requestId: string): Promise<MintRequestReply> {
    return { mint_request: mintRequestOf(found(requestId, await this.rows.find({ requestId }))) };
  }

  /**
   * Registers the passport, as the decision and in the same transaction.
   * @throws MintRequestUnknown, MayNotMint, MintRequestDecided, PassportKnown where somebody registered it meanwhile
   */
  async approve(by: Decider, requestId: string): Promise<MintedPassport> {
    const row = await this.decide(by, requestId, 'approved');
    const { passportId, displayName, kind, publicKey, fingerprint, attested } = row;
    const draft = { passportId, displayName, kind, publicKey, fingerprint, attested };
    const passport = passportOf(await this.registry.register(by.actor, draft, { requestId }));
    return { mint_request: mintRequestOf(row), passport };
  }

  /** @throws MintRequestUnknown, MayNotMint, MintRequestDecided */
  async reject(by: Decider, requestId: string): Promise<MintRequestReply> {
    return { mint_request: mintRequestOf(await this.decide(by, requestId, 'rejected')) };
  }

  private async decide({ actor, party, ...by }: Decider, requestId: string, to: Decision): Promise<MintRequestRow> {
    const { reason = null } = by;
    const row = found(requestId, await this.rows.find({ requestId }, 'no key update'));
    checkMayDecide(row, party);
    if (await isKeyOf(this.tenancy, party.principal, row.requestedPrincipal))
      throw new MayNotMint(
        { mint_request_id: requestId },
        `${row.requestedPrincipal} asked for it and made the key that decides; another has to decide`,
      );
    const decided = await this.rows.updateOne(
      { requestId },
      {
        ...{ status: to, reason, decidedPassport: party.passport ?? null, decidedPrincipal: party.principal },
        decidedAt: () => 'clock_timestamp()',
      },
    );
    const { decidedPassport } = decided;
    await this.audit.record(actor, mintChange(to, decided, { decidedPassport, reason }));
    return decided;
  }
}

/** @throws MayNotMint, MintRequestDecided */
function checkMayDecide(row: MintRequestRow, by: Party): void {
  const { requestId, passportId, status } = row;
  const { requested_by, decided_by, decided_at } = mintRequestOf(row);
  if (isNobody(by))
    throw new MayNotMint(
      { mint_request_id: requestId },
      'Nothing says who decides: send approver_passport, or X-Svc-Passport-Id',
    );
  if (isRequester(by, row))
    throw new MayNotMint({ mint_request_id: requestId }, `${requested_by} asked for it, and another has to decide`);
  if (by.passport === passportId)
    throw new MayNotMint(
      { mint_request_id: requestId },
      `${passportId} is what is asked for, and another has to decide`,
    );
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
