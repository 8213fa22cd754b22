/** What can be wrong with a stored record; the first is nothing. */
export const RECORD_ERRORS = [
  'OK',
  'RECORD_MALFORMED',
  'RECORD_MISMATCH',
  'SIGNATURE_INVALID',
  'KEY_UNKNOWN',
  'KEY_NOT_VALID_THEN',
  'CHAIN_BROKEN',
  'NOT_LOGGED',
  'LOG_INVALID',
] as const;
export type RecordError = (typeof RECORD_ERRORS)[number];
