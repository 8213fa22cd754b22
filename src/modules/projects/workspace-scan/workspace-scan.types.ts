export const SCAN_STATES = ['queued', 'running', 'done', 'failed'] as const;
export type ScanState = (typeof SCAN_STATES)[number];

/** What a scan leaves out, and why. */
export const LEFT_OUT_REASONS = [
  'ignored',
  'symbolic_link',
  'no_file',
  'unreadable',
  'name_unusable',
  'too_deep',
  'too_many_files',
  'file_too_large',
  'not_parsed',
  'too_many_symbols',
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** How many there were for one reason, and the first of them. */
export interface LeftOut {
  reason: LeftOutReason;
  count: number;
  examples: string[];
}

/** What a job is about: ids, never content. */
export interface ScanJob {
  tenantId: string;
  scanId: string;
}

/** A file as the walk finds it. */
export interface FoundFile {
  /** Below the root, with slashes. */
  path: string;
  bytes: number;
}

export type SymbolKind =
  | 'function'
  | 'method'
  | 'class'
  | 'interface'
  | 'struct'
  | 'enum'
  | 'trait'
  | 'type'
  | 'module'
  | 'variable'
  | 'macro';

/** What a file declares, outside of bodies of functions. */
export interface FoundSymbol {
  /** With what it is declared in: `Lamp.light`. */
  name: string;
  kind: string;
  /** From 1. */
  line: number;
}

/** What a walk found, or the code of what keeps the folder from being read. */
export type WalkedWorkspace =
  { /** A real path. */ root: string; files: FoundFile[]; leftOut: LeftOut[] } | { problem: string };
