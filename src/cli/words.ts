import { InvalidArgumentError } from 'commander';

/** A reason or an answer on the command line, as the database keeps it. */
export function readWords(text: string): string {
  if (text.trim() !== '' && text.length <= 2000 && text.isWellFormed() && !text.includes('\0')) return text;
  throw new InvalidArgumentError('Say it in 1 to 2000 characters.');
}
