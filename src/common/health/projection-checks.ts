import { Injectable } from '@nestjs/common';
import type { Query } from '../tenancy/cross-tenant.js';

/** What came of comparing a sample. */
export interface ProjectionSample {
  /** How many derived rows were compared. */
  examined: number;
  /** Ids of those that are not what their sources make. They are shown to the public: no tenant's name, no content. */
  wrong: readonly string[];
}

/** A table, or a set of counters, that is derived from other rows. */
export interface ProjectionCheck {
  /** `facts.heads`. */
  name: string;
  /**
   * Compares a bounded sample of the derived rows with what a replay of their sources makes; a few milliseconds at
   * most.
   * @param query statements of one read-only transaction as svc_operator, on one snapshot
   */
  sample(query: Query): Promise<ProjectionSample>;
}

/** Where modules register the checks of what they derive; the readiness gate projection_snapshots_valid runs them. */
@Injectable()
export class ProjectionChecks {
  private readonly checks: ProjectionCheck[] = [];

  add(check: ProjectionCheck): void {
    this.checks.push(check);
  }

  get all(): readonly ProjectionCheck[] {
    return this.checks;
  }
}
