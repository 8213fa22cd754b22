import type { Checkpoint } from '../checkpoint.js';
import type { SignedReceipt } from '../receipt.js';
import type { VerifyingKey } from '../signing-key.js';
import type { TrustedKey } from '../verify-pack.js';
import type { FieldTree } from './export-fields.js';
import type { ExportFile, ManifestItem } from './export-format.js';

/** On what basis an export is accepted. */
export interface Acceptance {
  /**
   * Keys known from elsewhere; without them the export's own are used, which shows that it is whole, not who made it.
   */
  readonly trusted?: readonly TrustedKey[];
  /** Take what was done under a development mode for what it is: whole, and no proof of who did it. */
  readonly development?: boolean;
}

interface UsableKey {
  readonly key: VerifyingKey;
  readonly nbf: number;
  readonly exp: number;
}

/** An item and what is shown of it. */
export interface OpenItem extends ManifestItem {
  readonly index: number;
  readonly shown: FieldTree;
  /** Of a receipt whose message is shown. */
  receipt?: SignedReceipt & { readonly kid: string };
}

/** What earlier checks established, for the later ones. */
export interface OpenExport {
  readonly file: ExportFile;
  readonly acceptance: Acceptance;
  readonly keys: Map<string, UsableKey>;
  readonly items: OpenItem[];
  /** Fields that belong to no item. */
  readonly shown: FieldTree;
  checkpoint: Checkpoint | undefined;
}
