import { decodeExactly } from './base64.js';
import { isRecord } from './canonical-json.js';
import { BLAKE3_DIGEST, SHA256_DIGEST } from './digest-forms.js';

/** A shape is a test of one value, a list of one shape, or the exact members of an object (`name?`: may be missing). */
export type Shape =
  | { readonly test: (value: unknown) => boolean; readonly is: string }
  | { readonly orNull: Shape }
  | readonly [Shape]
  | Members;
/** An object with these members and no other. */
export interface Members {
  readonly members: Readonly<Record<string, Shape>>;
}

export const TEXT: Shape = { is: 'text', test: (value) => typeof value === 'string' && value.isWellFormed() };
export const COUNT: Shape = {
  is: 'a whole number',
  test: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};
const matching = (is: string, pattern: RegExp): Shape => ({
  is,
  test: (value) => typeof value === 'string' && pattern.test(value),
});
export const constant = (expected: string | boolean): Shape => ({
  is: JSON.stringify(expected),
  test: (value) => value === expected,
});
export const oneOf = (...expected: readonly string[]): Shape => ({
  is: expected.join(' or '),
  test: (value) => typeof value === 'string' && expected.includes(value),
});
/** null, or of that shape. */
export const orNull = (shape: Shape): Shape => ({ orNull: shape });
export const BASE64: Shape = {
  is: 'base64 (RFC 4648 section 4)',
  test: (value) => decodeExactly(value, 'base64') !== undefined,
};
export const SHA256 = matching('sha256:<64 hex>', SHA256_DIGEST);
export const BLAKE3 = matching('blake3:<64 hex>', BLAKE3_DIGEST);
export const INSTANT: Shape = { is: 'RFC 3339 in UTC with milliseconds', test: isInstant };
/** The one text of 32 bytes: the last character has two spare bits, which are zero. */
export const KEY_X: Shape = {
  is: 'canonical base64url of 32 bytes',
  test: (value) => decodeExactly(value, 'base64url', 32) !== undefined,
};
export const JWK: Shape = {
  members: {
    alg: constant('EdDSA'),
    crv: constant('Ed25519'),
    'exp?': COUNT,
    kid: TEXT,
    kty: constant('OKP'),
    nbf: COUNT,
    use: constant('sig'),
    x: KEY_X,
  },
};
/** `2026-11-20T21:04:05.678Z`. Date.parse also takes 30 February, 24:00 and the year +012026. */
export function isInstant(value: unknown): boolean {
  if (typeof value !== 'string' || value.length !== 24 || Number.isNaN(Date.parse(value))) return false;
  return new Date(value).toISOString() === value;
}

/** @throws Error naming the place that has another shape */
export function checkShape(value: unknown, shape: Shape, path: string): void {
  if ('test' in shape) {
    if (!shape.test(value)) throw new Error(`${path} must be ${shape.is}`);
  } else if ('orNull' in shape) {
    if (value !== null) checkShape(value, shape.orNull, path);
  } else if ('members' in shape) {
    checkMembers(value, shape, path);
  } else {
    if (!Array.isArray(value)) throw new Error(`${path} must be a list`);
    value.forEach((item: unknown, index) => {
      checkShape(item, shape[0], `${path}[${String(index)}]`);
    });
  }
}

function checkMembers(value: unknown, { members }: Members, path: string): void {
  if (!isRecord(value)) throw new Error(`${path} must be an object`);
  for (const [name, shape] of Object.entries(members)) {
    const optional = name.endsWith('?');
    const key = optional ? name.slice(0, -1) : name;
    if (Object.hasOwn(value, key)) checkShape(value[key], shape, `${path}.${key}`);
    else if (!optional) throw new Error(`${path}.${key} is missing`);
  }
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(members, key) && !Object.hasOwn(members, `${key}?`));
  if (unknown !== undefined) throw new Error(`${path} has the unknown member ${JSON.stringify(unknown.slice(0, 80))}`);
}
