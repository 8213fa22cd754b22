export const EXTENSION_KINDS = ['wasm', 'tool'] as const;
export type ExtensionKind = (typeof EXTENSION_KINDS)[number];

/** How a call ended. All but `ok` are answered 422. */
export type CallOutcome =
  | 'ok'
  /** It said so itself: `run` returned another number than 0, or the tool answered a problem. */
  | 'failed'
  | 'trapped'
  | 'timed_out'
  | 'out_of_memory'
  | 'output_too_large'
  /** What was registered is no module, or takes functions that there are not. */
  | 'invalid_module';

/** What a call left: of a failed one what it wrote counts for nothing. */
export interface CallResult {
  outcome: CallOutcome;
  /** For whoever wrote the extension. */
  detail: string;
  output: Uint8Array;
  logs: string[];
}

/** Bytes of a module. */
export const MAX_MODULE_BYTES = 1024 * 1024;
/** Bytes that a call takes. */
export const MAX_INPUT_BYTES = 256 * 1024;
/** Bytes that a call gives. */
export const MAX_OUTPUT_BYTES = 256 * 1024;
/** Levels of JSON in an answer: a tool may give back what a request brought, some levels down. */
export const MAX_OUTPUT_DEPTH = 64;
/** How many a tenant may have. */
export const MAX_EXTENSIONS = 64;
