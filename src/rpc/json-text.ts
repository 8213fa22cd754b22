/**
 * JSON that came as text and goes on as text: what the API answered is put into the answer of the call without being
 * read and written again.
 */
export class JsonText {
  constructor(readonly text: string) {}

  parse(): unknown {
    return JSON.parse(this.text) as unknown;
  }

  /** For writing it as part of another JSON text. */
  toJSON(): unknown {
    return this.parse();
  }
}
