import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { isNobody, partyOf } from '../../../common/bearer-auth/party.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type {
  AskForPassport,
  DecideMintRequest,
  MintedPassport,
  MintRequestList,
  MintRequestQuery,
  MintRequestReply,
} from './mint-requests.dto.js';
import { MintRequestRowsService, type Decider } from './mint-request-rows.service.js';

/** Requests for passports. Whoever asked never decides. */
@Injectable()
export class MintRequestsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly rows: MintRequestRowsService,
  ) {}

  /** @throws ValidationFailed, PassportHeaderMismatch, PassportKnown */
  ask(caller: DaemonCaller, request: AskForPassport): Promise<MintRequestReply> {
    const by = partyOf(caller, request.by_passport, 'body.by_passport');
    if (isNobody(by)) throw invalid('body.by_passport', 'is needed, or X-Svc-Passport-Id: nothing says who asks');
    return this.tenants.write(caller, request.tenant_id, () => this.rows.ask(caller, by, request));
  }

  list(caller: DaemonCaller, { tenant_id, ...query }: MintRequestQuery): Promise<MintRequestList> {
    return this.tenants.run(caller, tenant_id, () => this.rows.list(query));
  }

  /** @throws MintRequestUnknown */
  read(caller: DaemonCaller, requestId: string): Promise<MintRequestReply> {
    return this.tenants.run(caller, undefined, () => this.rows.read(requestId));
  }

  /** @throws PassportHeaderMismatch, and as MintRequestRowsService does */
  approve(caller: DaemonCaller, requestId: string, request: DecideMintRequest): Promise<MintedPassport> {
    const by = deciderOf(caller, request);
    return this.tenants.write(caller, undefined, () => this.rows.approve(by, requestId));
  }

  /** @throws PassportHeaderMismatch, and as MintRequestRowsService does */
  reject(caller: DaemonCaller, requestId: string, request: DecideMintRequest): Promise<MintRequestReply> {
    const by = deciderOf(caller, request);
    return this.tenants.write(caller, undefined, () => this.rows.reject(by, requestId));
  }
}

/** @throws PassportHeaderMismatch */
const deciderOf = (caller: DaemonCaller, { approver_passport, reason }: DecideMintRequest): Decider => ({
  actor: caller,
  party: partyOf(caller, approver_passport, 'body.approver_passport'),
  reason,
});
