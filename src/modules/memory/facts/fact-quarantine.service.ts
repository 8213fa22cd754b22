import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../common/outbox/outbox.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

/**
 * Sets facts aside and brings them back. A search ranks what is set aside and drops it when it reads the rows, so that
 * no segment changes. Needs an open unit of work, in which it all happens.
 */
@Injectable()
export class FactQuarantineService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly outbox: Outbox,
  ) {}

  /**
   * With the current fact of an entity and key all versions before it.
   * @returns all records that were not set aside before
   */
  async setAside(factIds: readonly string[]): Promise<string[]> {
    if (factIds.length === 0) return [];
    const [row] = await this.tenancy.query<{ gone: string[] }>('select svc_quarantine_facts($1, $2::uuid[]) as gone', [
      this.tenancy.tenant,
      factIds,
    ]);
    this.tenancy.afterCommit(() => this.outbox.announce());
    return row!.gone;
  }

  /**
   * And what went with them.
   * @param kept stay aside, and all before one of them that is the last of its entity and key
   * @returns how many records are found again; one whose fact was deleted meanwhile stays so
   */
  async bringBack(factIds: readonly string[], kept: readonly string[]): Promise<number> {
    if (factIds.length === 0) return 0;
    const [row] = await this.tenancy.query<{ back: number }>(
      'select svc_release_facts($1, $2::uuid[], $3::uuid[]) as back',
      [this.tenancy.tenant, factIds, kept],
    );
    this.tenancy.afterCommit(() => this.outbox.announce());
    return row!.back;
  }
}
