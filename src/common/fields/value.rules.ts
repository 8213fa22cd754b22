// One by one: all of the package takes a process a tenth of a second and 10 MB more.
import isEmail from 'validator/lib/isEmail.js';
import isLength from 'validator/lib/isLength.js';
import isUuid from 'validator/lib/isUUID.js';
import { findInexactness, LOST_DIGITS } from '../../evidence/exact-json.js';

/** What a value must be. */
export interface ValueRule {
  isKept(value: unknown): boolean;
  /** What is said of a member whose value is not so. */
  faultOf(member: string): string;
  /** The way from a value that is not so to what is wrong in it: '' or such as `.list[2].n`. */
  placeIn?(value: unknown): string;
}

export const rule = (isKept: ValueRule['isKept'], fault: string): ValueRule => ({
  isKept,
  faultOf: (member) => `${member} ${fault}`,
});

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';

export const IS_TEXT = rule(isText, 'must be a string');
export const IS_UUID = rule((value) => isText(value) && isUuid.default(value, 'all'), 'must be a UUID');
export const IS_EMAIL = rule((value) => isText(value) && isEmail.default(value), 'must be an email');
export const IS_INTEGER = rule(Number.isInteger, 'must be an integer number');
export const IS_NUMBER = rule(Number.isFinite, 'must be a number conforming to the specified constraints');
export const IS_FLAG = rule((value) => typeof value === 'boolean', 'must be a boolean value');
export const IS_OBJECT = rule(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);
/** How many values it may hold is bounded where its body is read. */
export const IS_EXACT: ValueRule = {
  isKept: (value) => findInexactness(value, Infinity) === undefined,
  faultOf: () => LOST_DIGITS,
  placeIn: (value) => findInexactness(value, Infinity)?.path ?? '',
};
export const IS_LIST = rule(Array.isArray, 'must be an array');

/** A character is one to three units of UTF-16, with what chooses its presentation, so most texts need no count. */
const MAX_UNITS = 3;

export const minLength = (min: number): ValueRule =>
  rule(
    (value) => isText(value) && (value.length >= min * MAX_UNITS || isLength.default(value, { min })),
    `must be longer than or equal to ${min} characters`,
  );

export const maxLength = (max: number): ValueRule =>
  rule(
    (value) => isText(value) && (value.length <= max || isLength.default(value, { max })),
    `must be shorter than or equal to ${max} characters`,
  );

export const matches = (pattern: RegExp, fault = `must match ${String(pattern)} regular expression`): ValueRule =>
  rule((value) => isText(value) && value.search(pattern) >= 0, fault);

export function isOneOf(values: readonly unknown[]): ValueRule {
  const known = new Set(values);
  return rule((value) => known.has(value), `must be one of the following values: ${values.join(', ')}`);
}

export const atLeast = (min: number): ValueRule =>
  rule((value) => isNumber(value) && value >= min, `must not be less than ${min}`);

export const atMost = (max: number): ValueRule =>
  rule((value) => isNumber(value) && value <= max, `must not be greater than ${max}`);

export const minItems = (min: number): ValueRule =>
  rule((value) => Array.isArray(value) && value.length >= min, `must contain at least ${min} elements`);

export const maxItems = (max: number): ValueRule =>
  rule((value) => Array.isArray(value) && value.length <= max, `must contain no more than ${max} elements`);

/** The rule holds for each item of a list; what is no list is an item itself. */
export const each = ({ isKept, faultOf }: ValueRule): ValueRule => ({
  isKept: (value) => (Array.isArray(value) ? value.every((item) => isKept(item)) : isKept(value)),
  faultOf: (member) => `each value in ${faultOf(member)}`,
});

/** The rules for which a bound is given. */
export const bounded = (
  ...bounds: readonly (readonly [(bound: number) => ValueRule, number | undefined])[]
): ValueRule[] => bounds.flatMap(([make, bound]) => (bound === undefined ? [] : [make(bound)]));
