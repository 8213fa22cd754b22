import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

/** Sets cases aside and brings them back. Needs an open unit of work, in which it all happens. */
@Injectable()
export class CaseQuarantineService {
  constructor(private readonly tenancy: Tenancy) {}

  /** @returns those that were not set aside before */
  setAside(caseIds: readonly string[]): Promise<string[]> {
    return this.mark(caseIds, true);
  }

  /** @returns those that are found again; one that was erased meanwhile stays so */
  bringBack(caseIds: readonly string[]): Promise<string[]> {
    return this.mark(caseIds, false);
  }

  private async mark(caseIds: readonly string[], isAside: boolean): Promise<string[]> {
    if (caseIds.length === 0) return [];
    const [row] = await this.tenancy.query<{ marked: string[] }>(MARK, [this.tenancy.tenant, caseIds, isAside]);
    return row!.marked;
  }
}

const MARK = `
  with marked as (
    update memory_case set quarantined = $3 where tenant_id = $1 and case_id = any ($2::uuid[]) and quarantined <> $3
    returning case_id
  )
  select coalesce(array_agg(case_id), '{}') as marked from marked`;
