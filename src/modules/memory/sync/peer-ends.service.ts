import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

/** Ends all peers of the open unit of work's tenant, with what was delegated to them. @returns their ids */
export type EndPeers = (by: Actor, receiptId: string) => Promise<string[]>;

/**
 * How an offboarding ends the peers of a tenant without depending on the module of peers, which depends on this one.
 * Until that module answers, their rows are ended as they stand.
 */
@Injectable()
export class PeerEnds {
  private end: EndPeers = (by, receiptId) => this.endRows(by, receiptId);

  constructor(private readonly tenancy: Tenancy) {}

  /** Called once, when the module of peers starts. */
  answerBy(end: EndPeers): void {
    this.end = end;
  }

  endAll(by: Actor, receiptId: string): Promise<string[]> {
    return this.end(by, receiptId);
  }

  private async endRows({ principal }: Actor, receiptId: string): Promise<string[]> {
    const there = await this.tenancy.query(`select where to_regclass('public.sync_peer') is not null`);
    if (there.length === 0) return [];
    const rows = await this.tenancy.query<{ peer_id: string }>(
      `update sync_peer set revoked_at = now(), revoked_by = $2, revoke_receipt = $3
       where tenant_id = $1 and revoked_at is null returning peer_id`,
      [this.tenancy.tenant, principal, receiptId],
    );
    return rows.map(({ peer_id }) => peer_id).sort();
  }
}
