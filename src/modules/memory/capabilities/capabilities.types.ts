export const MATURITIES = ['experimental', 'beta', 'stable', 'deprecated'] as const;
export type Maturity = (typeof MATURITIES)[number];

export const AUDIT_STATUSES = ['unaudited', 'passed', 'failed', 'waived'] as const;
export type AuditStatus = (typeof AUDIT_STATUSES)[number];

export const GAPS = ['no_test', 'no_audit', 'failed_audit'] as const;
export type Gap = (typeof GAPS)[number];

/** Something that a system can do, without what tenants judge of it. */
export interface Capability {
  id: string;
  name: string;
  system: string;
  maturity: Maturity;
  /** Numbers of 64 bits. */
  promises: readonly bigint[];
  routes: readonly string[];
  flags: readonly string[];
  tools: readonly string[];
  /** The files that test it. */
  tests: readonly string[];
  /** Ids of what it rests on. */
  upstream: readonly string[];
}

/** What a tenant judged of a capability last. */
export interface Audit {
  status: AuditStatus;
  auditor: string | null;
  lastAudited: Date | null;
  notes: string | null;
  /** Counts the audits of the capability; 0 before the first. */
  version: number;
}

/** A capability as a tenant sees it. */
export interface AuditedCapability extends Capability {
  /** Ids of what rests on it. */
  downstream: readonly string[];
  audit: Audit;
}
