import type { FilePlace, LocatedRange } from './locations.types.js';

/** Puts a text together and notes where its parts stand in the file. */
export class LocatedText {
  private readonly parts: string[] = [];
  private length = 0;
  readonly locations: LocatedRange[] = [];

  /** Adds text as it is, with its place where it has one. */
  add(text: string, place?: FilePlace): void {
    const stored = storable(text);
    if (place !== undefined && stored.trim() !== '')
      this.locations.push({ start: this.length, end: this.length + stored.length, ...storablePlace(place) });
    this.parts.push(stored);
    this.length += stored.length;
  }

  get text(): string {
    return this.parts.join('');
  }
}

/** Without what PostgreSQL could not hold: halves of surrogate pairs, and NUL. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '');

/** A name in a file may hold anything. */
const storablePlace = (place: FilePlace): FilePlace =>
  Object.fromEntries(
    Object.entries(place).map(([name, value]) => [name, typeof value === 'string' ? storable(value) : value]),
  );
