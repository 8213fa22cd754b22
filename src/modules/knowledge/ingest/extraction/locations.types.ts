/** Where in a file something stands: by its page, its sheet and cells, its slide, or a part of it. */
export interface FilePlace {
  /** From 1. */
  readonly page?: number;
  readonly sheet?: string;
  /** As spreadsheets write a range: `A2:C2`. */
  readonly cells?: string;
  /** From 1. */
  readonly slide?: number;
  /** A chapter's file (EPUB), a JSON pointer (RFC 6901), or `headers`, `body`, `attachments` of an e-mail. */
  readonly part?: string;
}

/** The place of a stretch of a document's text, in UTF-16 code units; `end` is exclusive. */
export interface LocatedRange extends FilePlace {
  readonly start: number;
  readonly end: number;
}

/** The place of a passage, and where it ends when that is another one. */
export interface PassagePlace extends FilePlace {
  readonly to?: FilePlace;
}
