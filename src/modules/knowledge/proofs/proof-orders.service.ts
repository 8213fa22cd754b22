import { Inject, Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { ProofChargesService } from './proof-charges.service.js';
import { PROOF_UPSTREAM, type ProofOrder, type ProofUpstream } from './proof-upstream.js';
import type { ProofJobRecord } from './proofs.dto.js';

/** Proofs that are part of what another module does, by whoever makes them. */
@Injectable()
export class ProofOrdersService {
  constructor(
    @Inject(PROOF_UPSTREAM) private readonly upstream: ProofUpstream,
    private readonly charges: ProofChargesService,
  ) {}

  /** Whether another server is asked: order before anything is locked that others wait for. */
  get isElsewhere(): boolean {
    return this.upstream.isElsewhere;
  }

  /** Makes sure that {@link open} waits for no account: before receipts of the unit of work. */
  reserve(caller: TenantCaller, agentId: string): Promise<void> {
    return this.charges.hold(caller, agentId);
  }

  /** In the open unit of work. @throws ProofSubjectUnknown, CreditsExhausted */
  open(caller: TenantCaller, order: ProofOrder): Promise<ProofJobRecord> {
    return this.upstream.open(caller, order);
  }

  findNewest(caller: TenantCaller, answerId: string): Promise<ProofJobRecord | undefined> {
    return this.upstream.findNewest(caller, answerId);
  }
}
