import { InvalidArgumentError } from 'commander';

/** Reads an id on the command line. @param what is named by it, for the message */
export const uuidReader =
  (what: string) =>
  (text: string): string => {
    if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
    throw new InvalidArgumentError(`${what} is named by its id, a UUID.`);
  };
