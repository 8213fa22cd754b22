import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { passageNow } from './source-states.rules.js';
import type { PassageNow, PassageThen } from './source-states.types.js';
import { SourceStatesViews } from './source-states.views.js';

/**
 * Says whether what rests on passages still holds. Proofs, watches, pins, replays and exports all ask here, so that
 * they agree. Needs an open unit of work.
 */
@Injectable()
export class SourceStatesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly views: SourceStatesViews,
  ) {}

  /** What has become of passages, in their order, as the open unit of work's tenant sees them. */
  async look(passages: readonly PassageThen[]): Promise<PassageNow[]> {
    const seen = await this.views.find(passages);
    return passages.map((passage, index) => passageNow(passage, seen[index]!, this.tenancy.tenant));
  }
}
