import { z } from 'zod';

/** A text of a file or payload that PostgreSQL can store: 1 to `max` UTF-16 units. */
export const storedText = (max: number) =>
  z
    .string(`expected a text of 1 to ${max} characters`)
    .min(1, `expected a text of 1 to ${max} characters`)
    .max(max, `expected a text of 1 to ${max} characters`)
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'has a character that cannot be stored');
