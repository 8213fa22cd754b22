import type { FoundSymbol } from '../workspace-scan.types.js';

/** What is handed to a thread: files below a folder. */
export interface SymbolsJob {
  /** A real path. */
  root: string;
  paths: readonly string[];
}

/** Of one file: its symbols, or why there are none. */
export interface FileSymbols {
  path: string;
  symbols: FoundSymbol[];
  problem?: 'unreadable' | 'not_parsed';
}
