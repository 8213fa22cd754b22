import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Tenancy } from '../tenancy/tenancy.js';

/** What a session did, as a step of it. */
export interface AutoStep {
  /** As X-Svc-Session-Id names it. */
  readonly session: string;
  readonly kind: 'tool' | 'retrieval' | 'memory' | 'other';
  readonly label: string;
  /** The principal. */
  readonly actor: string;
  readonly status: 'open' | 'ok' | 'error' | 'denied';
  /** RFC 3339. */
  readonly at: string;
  readonly receipt_id?: string;
  readonly mutation_receipt_id?: string;
  readonly inputs?: readonly AutoTrace[];
  readonly outputs?: readonly AutoTrace[];
}

interface AutoTrace {
  readonly kind: 'fact' | 'chunk' | 'receipt' | 'message';
  readonly ref: string | null;
  readonly digest: string | null;
  readonly text: null;
  readonly bytes: null;
}

/** Nothing but where something is, or the digest of it: content is not captured by itself. */
export const autoTrace = (kind: AutoTrace['kind'], ref: string | null, digest: string | null = null): AutoTrace => ({
  ...{ kind, ref, digest, text: null, bytes: null },
});

/** A record of evidence, as far as a step says it. */
interface SessionRecord {
  readonly receiptId: string;
  readonly kind: string;
  readonly actor: string;
  readonly occurredAt: string;
  readonly session: unknown;
}

/** Of observing itself, and of what another record stands for already. */
const NO_STEPS = /^(step\.|session\.|retrieval\.audited$)/;

/**
 * Makes steps of what sessions do that asked for it (D53). Who names no session pays nothing; who names one pays one
 * statement while SVCD_OBSERVE is on.
 */
@Injectable()
export class AutoSteps {
  readonly isOn: boolean;

  constructor(
    private readonly tenancy: Tenancy,
    @Inject(SETTINGS) { flags }: Settings,
  ) {
    this.isOn = flags.observe;
  }

  /** In the open unit of work. */
  addRecords(records: readonly SessionRecord[]): void {
    if (!this.isOn) return;
    const steps = records.filter(({ kind }) => !NO_STEPS.test(kind)).flatMap(stepsOf);
    if (steps.length > 0) this.addInUnit(steps);
  }

  /** In the open unit of work. */
  addInUnit(steps: readonly AutoStep[]): void {
    this.tenancy.send(ADD, [this.tenancy.tenant, JSON.stringify(steps)]);
  }

  /** In a transaction of its own. @returns the ids of the steps that were made */
  async addAlone(tenantId: string, steps: readonly AutoStep[]): Promise<string[]> {
    if (!this.isOn || steps.length === 0) return [];
    const rows = await this.tenancy.write<{ id: string }>(ADD, [tenantId, JSON.stringify(steps)]);
    return rows.map(({ id }) => id);
  }

  /** Ends steps that were made open, now. */
  async end(tenantId: string, session: string, ids: readonly string[], status: AutoStep['status']): Promise<void> {
    if (ids.length === 0) return;
    await this.tenancy.run(tenantId, () => this.tenancy.query(END, [tenantId, session, ids, status]));
  }
}

const ADD = 'select id from svc_add_auto_steps($1, $2) id';
const END = `update observe_step set status = $4, ts_end = greatest(now(), ts_start), closed_at = now()
  where tenant_id = $1 and session_id = $2 and node_id = any($3::text[]) and auto and status = 'open'`;

function stepsOf({ receiptId, kind, actor, occurredAt, session }: SessionRecord): AutoStep[] {
  if (typeof session !== 'string' || session === '') return [];
  const step = { session, label: kind, actor, status: 'ok', at: occurredAt, receipt_id: receiptId } as const;
  if (kind === 'retrieval') return [{ ...step, kind: 'retrieval' }];
  return [{ ...step, kind: kind.startsWith('fact.') ? 'memory' : 'other', mutation_receipt_id: receiptId }];
}
