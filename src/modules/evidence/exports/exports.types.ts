import type { DraftItem, ExportDraft } from '../../../evidence/export/sign-export.js';
import type { StoredRecord } from '../../../common/evidence-log/evidence-records.js';

export const EXPORT_MODES = ['latest', 'verified', 'audit'] as const;
export type ExportMode = (typeof EXPORT_MODES)[number];

export const EXPORT_TYPES = { json: 'application/json', cbor: 'application/cbor', zip: 'application/zip' } as const;
export type ExportFormat = keyof typeof EXPORT_TYPES;
export const EXPORT_FORMATS = Object.keys(EXPORT_TYPES) as ExportFormat[];

/** What of an export is shown, and how it is written. */
export interface Presentation {
  include?: string;
  redaction?: string;
  format?: ExportFormat;
  earlier_checkpoint?: string;
  /** The Accept header, where no format is named. */
  accept?: string;
}

/**
 * What one kind of subject brings together. Times and order follow from what is stored, so that the same state gives
 * the same export.
 */
export interface Evidence {
  readonly subjectId: string;
  readonly complete: boolean;
  readonly about?: ExportDraft['about'];
  readonly records: readonly StoredRecord[];
  /** What is no record, after the records. */
  readonly items: readonly DraftItem[];
}

/** An export as it is sent. */
export interface SentExport {
  readonly contentType: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
}
