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
   * @returns how many records are found again, one whose fact was deleted meanwhile stays so; and all that are not
   * aside any more
   */
  async bringBack(factIds: readonly string[], kept: readonly string[]): Promise<{ found: number; released: string[] }> {
    if (factIds.length === 0) return { found: 0, released: [] };
    const aside = await this.read(ASIDE_WITH, factIds);
    const [row] = await this.tenancy.query<{ back: number }>(
      'select svc_release_facts($1, $2::uuid[], $3::uuid[]) as back',
      [this.tenancy.tenant, factIds, kept],
    );
    this.tenancy.afterCommit(() => this.outbox.announce());
    return { found: row!.back, released: await this.read(NOT_ASIDE, aside) };
  }

  private async read(sql: string, factIds: readonly string[]): Promise<string[]> {
    const rows = await this.tenancy.query<{ fact_id: string }>(sql, [this.tenancy.tenant, factIds]);
    return rows.map(({ fact_id }) => fact_id);
  }
}

/** Nobody else sets anything aside meanwhile, or brings it back. */
const ASIDE_WITH = `
  select f.fact_id from fact f where f.tenant_id = $1 and f.quarantined
    and f.chain in (select w.chain from fact w where w.tenant_id = $1 and w.fact_id = any ($2::uuid[]))`;
const NOT_ASIDE =
  'select f.fact_id from fact f where f.tenant_id = $1 and f.fact_id = any ($2::uuid[]) and not f.quarantined';
