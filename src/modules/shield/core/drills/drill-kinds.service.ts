import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { parseCose, verifyCose } from '../../../../evidence/cose.js';
import { EvidenceService } from '../../../../common/evidence-log/evidence.service.js';
import { KeyRing } from '../../../../common/evidence-log/key-ring.js';
import type { KnownKey } from '../../../../common/evidence-log/known-keys.js';
import { openReceipt } from '../../../../evidence/receipt.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { DrillLog } from './drill-log.js';
import { drillCall, DrillStageService } from './drill-stage.service.js';
import { DrillsStore } from './drills.store.js';
import { DRILL_AUTH_TYPE, type DrillJob, type DrillKind } from './drills.types.js';

/** The faults: each is really there, on ground that nobody else stands on. */
@Injectable()
export class DrillKindsService {
  readonly kinds: Record<DrillKind, (job: DrillJob, log: DrillLog) => Promise<void>> = {
    kill_switch: (job, log) => this.killSwitch(job, log),
    revoked_digest: (job, log) => this.revokedDigest(job, log),
    approval_replay: (job, log) => this.approvalReplay(job, log),
    expired_approval: (job, log) => this.expiredApproval(job, log),
    receipt_tampering: (job, log) => this.receiptTampering(job, log),
  };

  constructor(
    private readonly tenancy: Tenancy,
    private readonly stage: DrillStageService,
    private readonly drills: DrillsStore,
    private readonly evidence: EvidenceService,
    private readonly keys: KeyRing,
  ) {}

  /** A mutation is refused by the database, a read by the notifications this process has received meanwhile. */
  private async killSwitch(job: DrillJob, log: DrillLog): Promise<void> {
    const call = drillCall(job);
    const observe = async () => `${await this.stage.decide(call)}, read ${await this.stage.read(call)}`;
    await log.expect({ name: 'a mutation and a read are allowed', observe, expected: 'allow, read allow' });
    const id = await log.act('the kill switch is set', () => this.stage.setSwitch(job, 'deny'));
    await log.detect({ name: 'both are refused', observe, expected: 'deny kill_switch, read deny kill_switch' });
    await log.act('the kill switch is lifted', () => this.stage.liftSwitch(job, id));
    await log.recover({ name: 'both are allowed again', observe, expected: 'allow, read allow' });
  }

  private async revokedDigest(job: DrillJob, log: DrillLog): Promise<void> {
    const toolDigest = `sha256:${randomBytes(32).toString('hex')}`;
    const observe = () => this.stage.decide(drillCall(job, { toolDigest }));
    await log.act('a tool definition is trusted', () => this.stage.putDigest(job, toolDigest, 'trusted'));
    await log.expect({ name: 'a call with it is allowed', observe, expected: 'allow' });
    await log.act('it is revoked', () => this.stage.putDigest(job, toolDigest, 'revoked'));
    await log.detect({ name: 'the call is refused', observe, expected: 'deny revoked_digest' });
    await log.act('it is trusted again', () => this.stage.putDigest(job, toolDigest, 'trusted'));
    await log.recover({ name: 'the call is allowed again', observe, expected: 'allow' });
  }

  private async approvalReplay(job: DrillJob, log: DrillLog): Promise<void> {
    await log.act('the action is marked', () => this.stage.setSwitch(job, 'require_approval'));
    const { approvalToken } = await log.act('an approval is given', () => this.stage.approve(job));
    const observe = () => this.stage.decide(drillCall(job, { approvalToken }));
    await log.expect({ name: 'its token opens the call', observe, expected: 'allow' });
    await log.detect({ name: 'its token, sent again, does not', observe, expected: 'deny approval_void used' });
    await this.approveAgain(job, log);
  }

  private async expiredApproval(job: DrillJob, log: DrillLog): Promise<void> {
    await log.act('the action is marked', () => this.stage.setSwitch(job, 'require_approval'));
    const { approvalRequestId, approvalToken } = await log.act('an approval is given', () => this.stage.approve(job));
    await log.act('its time runs out', () =>
      this.tenancy.run(job.tenantId, () => this.drills.expire(approvalRequestId)),
    );
    const observe = () => this.stage.decide(drillCall(job, { approvalToken }));
    await log.detect({ name: 'its token does not open the call', observe, expected: 'deny approval_void expired' });
    await this.approveAgain(job, log);
  }

  private async approveAgain(job: DrillJob, log: DrillLog): Promise<void> {
    const observe = async () => this.stage.decide(drillCall(job, await this.stage.approve(job)));
    await log.recover({ name: 'a new approval opens the call', observe, expected: 'allow' });
  }

  /** Every byte of a signed receipt is changed, one at a time. */
  private async receiptTampering(job: DrillJob, log: DrillLog): Promise<void> {
    const keys = await this.keys.list();
    const cose = await log.act('a receipt is signed', () => this.signReceipt(job));
    const observe = async () => (holds(cose, keys) ? 'holds' : 'does not hold');
    await log.expect({ name: 'the receipt holds', observe, expected: 'holds' });
    const changed = [...cose.keys()].map((at) => cose.with(at, cose[at]! ^ 1));
    const count = async () => `${changed.filter((copy) => !holds(copy, keys)).length} found out`;
    const expected = `${changed.length} found out`;
    await log.detect({ name: 'no copy with one changed byte holds', observe: count, expected });
    await log.recover({ name: 'the receipt still holds', observe, expected: 'holds' });
  }

  private async signReceipt({ tenantId, drillId }: DrillJob): Promise<Uint8Array> {
    const event = {
      kind: 'shield.drill',
      actor: `drill:${drillId}`,
      authMode: DRILL_AUTH_TYPE,
      subject: drillId,
      body: { kind: 'receipt_tampering' },
    };
    const { receiptId } = await this.tenancy.run(tenantId, () => this.evidence.record(event));
    const { cose } = await this.tenancy.run(tenantId, () => this.evidence.read(receiptId));
    return Uint8Array.from(cose);
  }
}

/** As a verifier with nothing but the public keys finds it. */
function holds(cose: Uint8Array, keys: readonly KnownKey[]): boolean {
  try {
    const { kid } = openReceipt(cose);
    const known = keys.find(({ key }) => key.kid === kid);
    return known !== undefined && verifyCose(parseCose(cose), known.key);
  } catch {
    return false;
  }
}
