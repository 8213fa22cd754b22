/** JSON that came as text and goes on as text: what the API answered is put into the answer of the call without being read and written again. */
export class JsonText {
  constructor(readonly text: string) {}

  parse(): unknown {
    return JSON.parse(this.text) as unknown;
  }

  /** For whoever writes it as part of something else. */
  toJSON(): unknown {
    return this.parse();
  }
}
