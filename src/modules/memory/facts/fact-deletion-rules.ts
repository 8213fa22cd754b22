import { Injectable } from '@nestjs/common';

/** What a deletion is about. */
export interface FactDeletion {
  factId: string;
  entity: string;
  key: string;
}

/**
 * Something that can forbid a deletion. It is asked in the deletion's own unit of work, under the caller's tenant, and
 * reads from there.
 * @returns what holds the fact, as the 409 reports it; undefined when nothing does
 */
export type FactDeletionRule = (deletion: FactDeletion) => Promise<string | undefined>;

/** The registry in which other modules put their rules at start-up. */
@Injectable()
export class FactDeletionRules {
  private readonly rules: FactDeletionRule[] = [];

  add(rule: FactDeletionRule): void {
    this.rules.push(rule);
  }

  /** The first hold found on the fact; undefined when it may be deleted. */
  async findHold(deletion: FactDeletion): Promise<string | undefined> {
    for (const rule of this.rules) {
      const hold = await rule(deletion);
      if (hold !== undefined) return hold;
    }
    return undefined;
  }
}
