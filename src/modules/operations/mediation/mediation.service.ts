import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { isFlagOn } from '../../../common/config/daemon/flag-state.js';
import { DAEMON_FLAGS } from '../../../common/config/daemon/flag-table.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { OperatorUpstream, UpstreamAway, type UpstreamAnswer } from '../../../common/http/operator-upstream.js';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { sha256 } from '../../../evidence/sha256.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { MediatedDraft, MediationDraft, MediationStatus } from './mediation.dto.js';
import { draftMediated } from './mediation.events.js';
import { DraftRejected, EngineFailed } from './mediation.problems.js';
import { DRAFT_KINDS, FLAGS_OF_KINDS, type DraftOutcome } from './mediation.types.js';

/** The request that a draft came by. */
export interface DraftRequest {
  id: string;
  deadline: AbortSignal;
}

interface Sent {
  outcome: DraftOutcome;
  answer: UpstreamAnswer | undefined;
  detail: string;
}

/** Drafts that go to the engine of SVCD_ENGINE_BASE_URL, each with a receipt, whatever came of it. */
@Injectable()
export class MediationService {
  private readonly engine: OperatorUpstream | undefined;
  private readonly flags;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly audit: AuditTrail,
    @Inject(SETTINGS) { flags, upstreams }: Settings,
  ) {
    const { engineApiKey: apiKey, engineTimeoutMs: timeoutMs } = upstreams;
    this.engine =
      flags.engine === undefined ? undefined : new OperatorUpstream({ baseUrl: flags.engine, apiKey, timeoutMs });
    this.flags = flags;
  }

  async status(): Promise<MediationStatus> {
    const drafts = DRAFT_KINDS.map((kind) => {
      const flag = FLAGS_OF_KINDS[kind];
      const enabled = flag === undefined || isFlagOn(this.flags, flag);
      return { kind, enabled, flag: flag === undefined ? null : DAEMON_FLAGS[flag].env };
    });
    return { engine_configured: true, drafts };
  }

  /** @throws DraftRejected before anything is sent; EngineFailed */
  async draft(caller: DaemonCaller, { kind, payload }: MediationDraft, request: DraftRequest): Promise<MediatedDraft> {
    this.checkTaken(kind);
    const draftId = uuid();
    const tenant = await this.tenants.enter(caller);
    // Whether the caller may write there is known before the engine is asked, and no transaction waits for it.
    await this.tenants.write(caller, undefined, () => Promise.resolve());
    const body = Buffer.from(JSON.stringify({ draft_id: draftId, kind, payload }));
    const sent = await this.send({ body, tenant, principal: caller.principal, request });
    const salt = randomBytes(16);
    const digestOf = (value: unknown): string => sha256(salt, canonicalJson(value)).toString('hex');
    const answer: unknown = sent.answer && JSON.parse(sent.answer.text);
    const payloadDigest = digestOf(payload);
    const answerDigest = sent.answer ? digestOf(answer) : null;
    const facts = { kind, outcome: sent.outcome, engineStatus: sent.answer?.status ?? null };
    const entry = draftMediated(draftId, { ...facts, payloadDigest, answerDigest });
    const { receiptId } = await this.tenants.write(caller, undefined, () => this.audit.record(caller, entry));
    if (sent.outcome !== 'answered' || !sent.answer || answerDigest === null)
      throw new EngineFailed(
        {
          ...{ draft_id: draftId, outcome: sent.outcome === 'refused' ? 'refused' : 'away' },
          ...{ engine_status: facts.engineStatus, receipt_id: receiptId },
        },
        sent.detail,
      );
    return {
      ...{ draft_id: draftId, kind, answer, engine_status: sent.answer.status },
      ...{ payload_digest: payloadDigest, answer_digest: answerDigest, salt: salt.toString('hex') },
      receipt_id: receiptId,
    };
  }

  private checkTaken(kind: MediationDraft['kind']): void {
    const flag = FLAGS_OF_KINDS[kind];
    if (flag === undefined || isFlagOn(this.flags, flag)) return;
    const { env } = DAEMON_FLAGS[flag];
    throw new DraftRejected({ kind, flag: env }, `Drafts of the kind ${kind} are taken with ${env}=1`);
  }

  private async send(sent: {
    body: Uint8Array;
    tenant: string;
    principal: string;
    request: DraftRequest;
  }): Promise<Sent> {
    const { request, ...rest } = sent;
    try {
      const call = { method: 'POST', name: 'drafts', requestId: request.id, deadline: request.deadline } as const;
      const answer = await this.engine!.ask({ ...call, ...rest });
      if (answer.status < 400) return { outcome: 'answered', answer, detail: '' };
      return { outcome: 'refused', answer, detail: `The engine answered ${answer.status}` };
    } catch (error) {
      if (!(error instanceof UpstreamAway)) throw error;
      return { outcome: 'away', answer: undefined, detail: `The engine ${error.message}` };
    }
  }
}
