import type { X509Certificate } from 'node:crypto';
import type { Checkpoint } from '../checkpoint.js';
import type { OpenEpoch } from '../log-epoch.js';
import type { FreshnessDemand } from '../freshness.js';
import type { FileKeys, TrustedKey } from '../file-keys.js';
import type { AnyTrustedKey } from '../trusted-keys.js';
import type { SignedReceipt } from '../receipt.js';
import type { FieldTree } from './export-fields.js';
import type { ExportFile, ManifestItem } from './export-format.js';

/** On what basis an export is accepted. */
export interface Acceptance {
  /**
   * Keys known from elsewhere; without them the export's own are used, which shows that it is whole, not who made it.
   */
  readonly trusted?: readonly TrustedKey[];
  /** Keys to check a receipt in a standard form with: it has none inside. */
  readonly formKeys?: readonly AnyTrustedKey[];
  /** Take what was done under a development mode for what it is: whole, and no proof of who did it. */
  readonly development?: boolean;
  /** Certificates of time-stamping authorities: a chain must lead to each timestamp, of which there must be one. */
  readonly authorities?: readonly X509Certificate[];
  /** What the verifier asks of the log; nothing unless given. */
  readonly freshness?: FreshnessDemand;
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
  keys: FileKeys;
  readonly items: OpenItem[];
  /** Fields that belong to no item. */
  readonly shown: FieldTree;
  checkpoint: Checkpoint | undefined;
  epoch: OpenEpoch | undefined;
}
