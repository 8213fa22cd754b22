/**
 * JSON that came as text and goes on as text: what the API answered is put into the answer of the call without being
 * read and written again.
 */
export class JsonText {
  constructor(
    readonly text: string,
    /** Whether it is the answer of an earlier call, which had the effect. */
    readonly isReplayed = false,
  ) {}

  /** As the result of a call: the object of a repeated answer says so by a member of its own (D85). */
  get result(): string {
    if (!this.isReplayed || !this.text.endsWith('}')) return this.text;
    return `${this.text.slice(0, -1)}${this.text === '{}' ? '' : ','}"replayed":true}`;
  }

  parse(): unknown {
    return JSON.parse(this.text) as unknown;
  }

  /** For writing it as part of another JSON text. */
  toJSON(): unknown {
    return this.parse();
  }
}
