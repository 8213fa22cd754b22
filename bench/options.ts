import { InvalidArgumentError } from 'commander';

/** Reads an option of the command line that is a whole number. */
export const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`expected a whole number from ${least} to ${most}`);
    return value;
  };
