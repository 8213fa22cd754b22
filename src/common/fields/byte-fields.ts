import type { Type as Class } from '@nestjs/common';
import { decodeExactly } from '../../evidence/base64.js';
import { field, fieldsOf, type FieldOptions, type JsonSchema } from './fields.js';
import { SecretBytes } from './secret-bytes.js';
import { rule } from './value.rules.js';

const SECRETS = new WeakSet<JsonSchema>();

/**
 * Text that must leave no trace, such as a private key: in the body itself it comes as {@link SecretBytes}, elsewhere
 * it is refused.
 */
export function Secret(options: FieldOptions & { max: number }): PropertyDecorator {
  const schema: JsonSchema = { type: 'string', minLength: 1, maxLength: options.max, writeOnly: true };
  SECRETS.add(schema);
  const isSecret = (value: unknown): boolean =>
    value instanceof SecretBytes && value.length > 0 && value.length <= options.max;
  const fault = `must be text of 1 to ${options.max} bytes`;
  return field(options, schema, [{ isKept: isSecret, faultOf: () => fault }]);
}

/** The members of a class that are such text. */
export const secretsOf = (type: Class): string[] =>
  fieldsOf(type)
    .filter(({ schema }) => SECRETS.has(schema))
    .map(({ name }) => name);

/** Bytes as text (RFC 4648 section 4: with padding, without line breaks). */
export const Base64 = (options: FieldOptions & { min?: number }) =>
  field(options, { type: 'string', contentEncoding: 'base64', minLength: options.min }, [
    rule(
      (value) =>
        typeof value === 'string' && value.length >= (options.min ?? 0) && decodeExactly(value, 'base64') !== undefined,
      'must be base64 (RFC 4648 section 4: with padding, without line breaks)',
    ),
  ]);
