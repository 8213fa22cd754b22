import { InvalidArgumentError } from 'commander';
import { PASSPORT } from '../common/fields/passport.js';

/** A passport on the command line. */
export function readPassportId(text: string): string {
  if (PASSPORT.test(text)) return text;
  throw new InvalidArgumentError('It is 1 to 128 letters, digits, dots, underscores, colons or hyphens.');
}
