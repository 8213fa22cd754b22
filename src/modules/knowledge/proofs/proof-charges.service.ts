import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { ChargesService } from '../../economy/ledger/charges.service.js';
import { LedgerService } from '../../economy/ledger/ledger.service.js';
import { PROOF_PRICES, type ProofMode } from './proofs.types.js';
import { sha256 } from '../../../evidence/sha256.js';

interface PricedJob {
  jobId: string;
  agentId: string;
  mode: ProofMode;
}

/** What a proof costs by its mode: charged once a job, and given back when the job fails. */
@Injectable()
export class ProofChargesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly charges: ChargesService,
    private readonly ledger: LedgerService,
  ) {}

  /** Before receipts of a unit of work that orders a proof later: whoever charges first must not wait for those. */
  hold(caller: TenantCaller, agentId: string): Promise<void> {
    return this.charges.hold(caller, agentId);
  }

  /** Once for a job, however often it is tried. @throws CreditsExhausted */
  charge(caller: TenantCaller, { jobId, agentId, mode }: PricedJob): Promise<void> {
    return this.tenancy.run(caller.tenantId, async () => {
      await this.charges.charge(caller, {
        agentId,
        credits: PROOF_PRICES[mode],
        reason: 'proof',
        reference: referenceOf(jobId),
      });
    });
  }

  /**
   * For a job that another server makes: asked before it is, so that what cannot be paid is not ordered.
   * @throws CreditsExhausted
   */
  checkFunds(caller: TenantCaller, { agentId, mode }: Omit<PricedJob, 'jobId'>): Promise<void> {
    return this.tenancy.run(caller.tenantId, async () => {
      const { balance } = await this.ledger.readWallet(caller, agentId);
      if (balance < PROOF_PRICES[mode]) throw this.ledger.exhausted(PROOF_PRICES[mode], balance);
    });
  }

  /** Once, and only what was charged. */
  refund(tenantId: string, jobId: string): Promise<boolean> {
    return this.tenancy.run(tenantId, () => this.charges.refund('proof', referenceOf(jobId), 'svc:proofs'));
  }
}

/** Another server's ids may be longer than the ledger keeps, or not be plain text. */
const referenceOf = (jobId: string): string =>
  /^[\x21-\x7e]{1,100}$/.test(jobId) ? jobId : sha256(jobId).toString('hex');
