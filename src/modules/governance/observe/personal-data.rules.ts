import { isIPv4, isIPv6 } from 'node:net';
import type { Mark } from '../../../common/screening/marks.js';

interface Pattern {
  readonly name: string;
  readonly form: RegExp;
  /** What looks like it and is something else is left as it is. */
  readonly holds: (found: string) => boolean;
}

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

/**
 * Each looked for by its own form, the more telling ones first. The time for a form is linear in the text: its parts
 * have bounds.
 */
const PATTERNS: readonly Pattern[] = [
  {
    name: 'email',
    form: /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu,
    holds: () => true,
  },
  { name: 'iban', form: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/g, holds: isIban },
  { name: 'card', form: /(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]\d)/g, holds: isCard },
  { name: 'ip', form: /(?<![\w.:])(?:\d{1,3}\.){3}\d{1,3}(?![\w:]|\.\d)/g, holds: isIPv4 },
  { name: 'ip', form: /(?<![\w:.])[0-9A-Fa-f:.]{1,44}[0-9A-Fa-f:](?![\w:])/g, holds: isIPv6 },
  { name: 'phone', form: /(?<![\w.+/-])(?:\+|00|0|\()\d[\d ()./-]{6,22}\d(?![\w-])/g, holds: isPhone },
];

/** Personal data that has a form of its own: names and addresses have none. */
export const findPersonalData = (text: string): Mark[] =>
  PATTERNS.flatMap(({ name, form, holds }) =>
    [...text.matchAll(form)]
      .filter(([found]) => holds(found))
      .map(({ 0: found, index }) => ({ start: index, end: index + found.length, name })),
  );

/** ISO 13616: the check digits make the whole 1 modulo 97. */
export function isIban(text: string): boolean {
  const compact = text.replaceAll(' ', '');
  if (compact.length < 15 || compact.length > 34) return false;
  const turned = compact.slice(4) + compact.slice(0, 4);
  let rest = 0;
  for (const character of turned) rest = Number(`${rest}${parseInt(character, 36)}`) % 97;
  return rest === 1;
}

/** ISO 7812: 13 to 19 digits, the last of them by Luhn's rule. */
export function isCard(text: string): boolean {
  const digits = [...digitsOf(text)].map(Number).reverse();
  if (digits.length < 13 || digits.length > 19) return false;
  const doubled = (digit: number) => (digit > 4 ? digit * 2 - 9 : digit * 2);
  return digits.reduce((sum, digit, place) => sum + (place % 2 === 1 ? doubled(digit) : digit), 0) % 10 === 0;
}

/** E.164: at most 15 digits; with fewer than 9 it may be any number. */
function isPhone(text: string): boolean {
  const { length } = digitsOf(text);
  return length >= 9 && length <= 15;
}
