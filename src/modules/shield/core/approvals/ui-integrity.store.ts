import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';

export const UI_SESSION_STATES = ['open', 'used', 'mismatched', 'ended', 'expired'] as const;
export type UiSessionState = (typeof UI_SESSION_STATES)[number];

export interface UiSessionRow {
  ui_session_id: string;
  approval_request_id: string;
  principal: string;
  nonce: string;
  shown_text: string;
  shown_digest: Buffer;
  state: UiSessionState;
  created_at: Date;
  expires_at: Date;
  closed_at: Date | null;
  mismatch_digest: string | null;
}

export interface UiSessionFilter {
  approvalRequestId?: string;
  status?: UiSessionState;
}

const COLUMNS = `ui_session_id, approval_request_id, principal, nonce, shown_text, shown_digest, created_at, expires_at, closed_at, mismatch_digest,
  case when state = 'open' and expires_at <= statement_timestamp() then 'expired' else state end as state`;

@Injectable()
export class UiIntegrityStore {
  constructor(private readonly tenancy: Tenancy) {}

  async open(
    session: Omit<UiSessionRow, 'state' | 'created_at' | 'closed_at' | 'mismatch_digest'>,
  ): Promise<UiSessionRow> {
    const [row] = await this.tenancy.query<UiSessionRow>(
      `insert into shield_ui_session (tenant_id, ui_session_id, approval_request_id, principal, nonce, shown_text, shown_digest, state, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, 'open', $8) returning ${COLUMNS}`,
      [
        this.tenancy.tenant,
        session.ui_session_id,
        session.approval_request_id,
        session.principal,
        session.nonce,
        session.shown_text,
        session.shown_digest,
        session.expires_at,
      ],
    );
    if (!row) throw new Error('a UI-integrity session was not opened');
    return row;
  }

  async lock(uiSessionId: string): Promise<UiSessionRow | undefined> {
    const [row] = await this.tenancy.query<UiSessionRow>(
      `select ${COLUMNS} from shield_ui_session where tenant_id = $1 and ui_session_id = $2 for update`,
      [this.tenancy.tenant, uiSessionId],
    );
    return row;
  }

  async use(uiSessionId: string): Promise<void> {
    await this.tenancy.query(
      `update shield_ui_session set state = 'used', closed_at = now() where tenant_id = $1 and ui_session_id = $2 and state = 'open'`,
      [this.tenancy.tenant, uiSessionId],
    );
  }

  /** The first mismatch closes it; a later one changes nothing. @returns whether it was the first */
  async keepMismatch(uiSessionId: string, principal: string, digest: string | null): Promise<boolean> {
    const rows = await this.tenancy.query(
      `update shield_ui_session set state = 'mismatched', closed_at = now(), mismatch_digest = $4, mismatch_by = $3
       where tenant_id = $1 and ui_session_id = $2 and state = 'open' returning 1`,
      [this.tenancy.tenant, uiSessionId, principal, digest],
    );
    return rows.length === 1;
  }

  /** Newest first. */
  list(filter: UiSessionFilter, after: string | undefined, limit: number): Promise<UiSessionRow[]> {
    return this.tenancy.query<UiSessionRow>(
      `select * from (select ${COLUMNS} from shield_ui_session where tenant_id = $1) one
       where ($2::uuid is null or approval_request_id = $2) and ($3::text is null or state = $3) and ($4::uuid is null or ui_session_id < $4)
       order by ui_session_id desc limit $5`,
      [this.tenancy.tenant, filter.approvalRequestId ?? null, filter.status ?? null, after ?? null, limit],
    );
  }
}
