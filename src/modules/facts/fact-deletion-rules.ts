import { Injectable } from '@nestjs/common';

/** What a deletion is about. */
export interface FactDeletion {
  factId: string;
  entity: string;
  key: string;
}

/**
 * Something that can forbid a deletion. It is asked in the deletion's own unit of work, under the caller's tenant, and reads from there.
 * @returns what holds the fact, as it is told in the 409; undefined when nothing does
 */
export type FactDeletionRule = (deletion: FactDeletion) => Promise<string | undefined>;

/** Where other rooms put their rules when they start. */
@Injectable()
export class FactDeletionRules {
  private readonly rules: FactDeletionRule[] = [];

  add(rule: FactDeletionRule): void {
    this.rules.push(rule);
  }

  /** What holds the fact first; undefined when it may go. */
  async findHold(deletion: FactDeletion): Promise<string | undefined> {
    for (const rule of this.rules) {
      const hold = await rule(deletion);
      if (hold !== undefined) return hold;
    }
    return undefined;
  }
}
