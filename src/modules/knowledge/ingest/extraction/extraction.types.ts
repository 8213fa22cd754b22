import type { LocatedRange } from './locations.types.js';

/** A file as it was sent: all that its text is read from. */
export interface SentFile {
  readonly bytes: Uint8Array;
  readonly fileName: string | null;
  /** As stated, in lower case, with its parameters. */
  readonly mediaType: string | null;
}

/** The text of a file. */
export interface ExtractedFile {
  readonly text: string;
  /** How the text is written. */
  readonly contentType: 'text/plain' | 'text/markdown' | 'text/html';
  /** What the file is, by its bytes. */
  readonly mediaType: string;
  /** The title that the file gives itself. */
  readonly title?: string | undefined;
  /** Of text/html none: its passages have other offsets. */
  readonly locations: readonly LocatedRange[];
}

/** What reading a file comes to. */
export type ExtractionOutcome =
  | { readonly file: ExtractedFile }
  /** Why there is no text, for its sender; `cause` is what the library said, for the log. */
  | { readonly reason: string; readonly cause?: string | undefined };

/** A file without a text that could be read; the message is for its sender. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}
