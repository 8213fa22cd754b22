import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { sha256 } from '../../../evidence/sha256.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { CreditMeter } from './credit-meter.service.js';
import { CreditSpendingRow } from './credit-spending.entity.js';
import type { SpendCredits, SpentCredits } from './spending.dto.js';
import { creditsSpent } from './spending.events.js';
import { SpendingKnown } from './spending.problems.js';
import { spentCreditsOf } from './spending.views.js';

/** What is to be spent, as it is held against an earlier one of the same reference. */
interface Order extends Pick<CreditSpendingRow, 'reference' | 'agentId' | 'credits'> {
  note: string | undefined;
}

const SALT_BYTES = 16;

/** Spends credits of agents in the one ledger: once for a reference. */
@Injectable()
export class SpendingService {
  private readonly rows: TenantRepository<CreditSpendingRow>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly tenants: TenantResolver,
    private readonly meter: CreditMeter,
    private readonly audit: AuditTrail,
  ) {
    this.rows = new TenantRepository(tenancy, CreditSpendingRow);
  }

  /** @throws CreditsExhausted, SpendingKnown, ValidationFailed */
  spend(caller: DaemonCaller, { agent_id, credits, reference, note, tenant_id }: SpendCredits): Promise<SpentCredits> {
    const agentId = agent_id ?? caller.passport;
    if (agentId === undefined)
      throw invalid('body.agent_id', 'is needed: the request has no acting passport (X-Svc-Passport-Id)');
    const order: Order = { reference, agentId, credits, note };
    return this.tenants.write(caller, tenant_id, async () => {
      // Before the accounts: whoever waits here holds nothing that another could wait for.
      await this.tenancy.lock('credit spending', reference);
      const known = await this.rows.find({ reference });
      if (known) return spentCreditsOf(sameAs(known, order), true);
      return spentCreditsOf(await this.book(caller, order), false);
    });
  }

  private async book(caller: DaemonCaller, { note, ...order }: Order): Promise<CreditSpendingRow> {
    const { agentId, credits, reference } = order;
    const charge = { agentId, credits, reference, reason: 'spend' as const, ...(note === undefined ? {} : { note }) };
    const { transferId, wallet } = await this.meter.take(caller, charge);
    const { own, allowance, earnings, balance } = wallet;
    const facts = { agentId, credits, reference, balanceAfter: balance };
    const { receiptId } = await this.audit.record(caller, creditsSpent(transferId, facts));
    const after = { ownAfter: own, allowanceAfter: allowance, earningsAfter: earnings };
    const noteSalt = note === undefined ? null : randomBytes(SALT_BYTES);
    const noted = { noteSalt, noteDigest: digestOf(noteSalt, note) };
    return this.rows.insert({ ...order, ...noted, ...after, transferId, receiptId, spentAt: new Date() });
  }
}

/** Without its salt, which goes with the note, a digest confirms no guess of a short one. */
const digestOf = (salt: Buffer | null, note: string | undefined): Buffer | null =>
  note === undefined ? null : sha256(...(salt === null ? [] : [salt]), note);

/** @throws SpendingKnown */
function sameAs(known: CreditSpendingRow, { agentId, credits, note }: Order): CreditSpendingRow {
  const noteDigest = digestOf(known.noteSalt, note) ?? Buffer.alloc(0);
  const isSame =
    known.agentId === agentId && known.credits === credits && noteDigest.equals(known.noteDigest ?? Buffer.alloc(0));
  if (isSame) return known;
  throw new SpendingKnown(
    { reference: known.reference, transfer_id: known.transferId },
    'A reference names one spending: send the same agent_id, credits and note again, or choose another reference',
  );
}
