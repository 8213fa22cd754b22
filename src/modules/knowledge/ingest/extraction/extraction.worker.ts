import type { ExtractionOutcome, SentFile } from './extraction.types.js';
import { extractFile } from './extract-file.js';

/** What a worker thread runs: one file at a time. */
export default function extract(file: SentFile): Promise<ExtractionOutcome> {
  return extractFile(file);
}
