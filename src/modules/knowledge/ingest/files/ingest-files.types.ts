import type { TenantAuthType } from '../../../../common/contract/tenant-auth-type.js';
import type { Shareability } from '../analysis/analysis.types.js';

/** A file that was accepted: what is known of its document before its text is. */
export interface AcceptedFile {
  readonly ingestId: string;
  readonly corpusId: string;
  readonly docId: string;
  readonly fileName: string | null;
  /** As stated, in lower case, with its parameters. */
  readonly mediaType: string | null;
  readonly title: string | null;
  readonly url: string | null;
  readonly shareability: Shareability;
  readonly metadata: Record<string, unknown> | null;
  /** BLAKE3-256 of the bytes. */
  readonly digest: Buffer;
  readonly content: Buffer;
  readonly acceptedBy: string;
  readonly authMode: TenantAuthType;
  readonly agentSession: string | null;
}

/** A file whose reading begins, for the first time or again. */
export interface ClaimedFile extends AcceptedFile {
  /** By its own job, with this one: before each that is not the last the process ended. */
  readonly readings: number;
}
