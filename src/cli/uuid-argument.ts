import { InvalidArgumentError } from 'commander';
import { isUuid } from '../common/ids/uuid-form.js';

/** Reads an id on the command line. @param what is named by it, for the message */
export const uuidReader =
  (what: string) =>
  (text: string): string => {
    if (isUuid(text)) return text.toLowerCase();
    throw new InvalidArgumentError(`${what} is named by its id, a UUID.`);
  };
