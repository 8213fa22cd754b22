import type { FilePlace, LocatedRange } from './locations.types.js';

/** Puts a text together and notes where its parts stand in the file. */
export class LocatedText {
  private readonly parts: string[] = [];
  private length = 0;
  readonly locations: LocatedRange[] = [];

  /** Adds text as it is, with its place where it has one. */
  add(text: string, place?: FilePlace): void {
    // What PostgreSQL could not hold.
    const storable = text.toWellFormed().replaceAll('\0', '');
    if (place !== undefined && storable.trim() !== '')
      this.locations.push({ start: this.length, end: this.length + storable.length, ...place });
    this.parts.push(storable);
    this.length += storable.length;
  }

  get text(): string {
    return this.parts.join('');
  }
}
