import { Injectable } from '@nestjs/common';
import { readEach } from '../../../common/fields/read-each.js';
import { invalid } from '../../../common/problem/common-problems.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { FactWritesStore } from './fact-writes.store.js';
import { StoreFactRequest } from './facts.dto.js';
import { checkValidity, draftOf, writerOf } from './facts.service.js';
import type { FactDraft } from './facts.types.js';

/**
 * Facts supplied by another module, stored in its unit of work: first `prepare`, which may take a while, then `store`.
 */
@Injectable()
export class FactImportsService {
  constructor(private readonly writes: FactWritesStore) {}

  /**
   * Reads facts as PUT /v1/facts/bulk takes them.
   * @param where the path of the list, for what is wrong with it
   * @throws ValidationFailed
   */
  async prepare(caller: DaemonCaller, facts: readonly unknown[], where: string): Promise<FactDraft[]> {
    const drafts: FactDraft[] = [];
    for await (const { item, path } of readEach(StoreFactRequest, facts, where)) {
      checkValidity(item, path);
      if (item.private)
        throw invalid(`${path}.private`, 'must be false here; store private facts one by one by PUT /v1/facts');
      drafts.push(await draftOf(caller, item, path));
    }
    return drafts;
  }

  /** In the open unit of work. @returns how many were stored @throws ValidationFailed for an unknown source_receipt */
  async store(caller: DaemonCaller, drafts: readonly FactDraft[]): Promise<number> {
    return drafts.length === 0 ? 0 : (await this.writes.storeInUnit(drafts, writerOf(caller))).length;
  }
}
