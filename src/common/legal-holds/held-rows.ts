import { QueryFailedError } from 'typeorm';
import { problem } from '../problem/problem.js';

/** The stream of receipts about holds. */
export const HOLDS_STREAM = 'legal-holds';

/** A legal hold pins what was to be deleted, or to lose its content; nothing was changed (D55). */
export class LegalHold extends problem<{ hold_ids: string[] }>(409, 'LegalHold', 'A legal hold pins this') {}

/** What the database did not delete. */
export interface HeldRow {
  /** Whose row it is. Tenants may share a hold by sync. */
  tenantId: string;
  holdIds: string[];
  /** The entity that the row is of. */
  entity: string;
  table: string;
}

/** What svc_keep_held raises. */
const HELD = 'SVH01';

interface DatabaseFailure {
  code?: unknown;
  detail?: string;
  hint?: string;
  table?: string;
  constraint?: string;
}

/** @returns undefined where the failure is another */
export function heldRowOf(error: unknown): HeldRow | undefined {
  const cause = (error instanceof QueryFailedError ? error.driverError : error) as DatabaseFailure | undefined;
  if (cause?.code !== HELD) return undefined;
  const { detail = '[]', hint = '', table = '', constraint: tenantId } = cause;
  if (tenantId === undefined) return undefined;
  return { tenantId, holdIds: JSON.parse(detail) as string[], entity: hint, table };
}
