import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { invalid, invalidMembers } from '../problem/common-problems.js';
import { type Found, readerOf } from './class-reader.js';
import type { TextKind } from './fields.js';

const PLAIN = new Set<unknown>([Object, String, Number, Boolean, Array, undefined]);

/** Makes a DTO of what came in and refuses what its fields do not allow, naming every member that is wrong. */
@Injectable()
export class ContractPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'custom' || PLAIN.has(metatype)) return value;
    const target = metatype as Type<object>;
    if (type === 'body') return readBodyAs(target, value);
    return readAs(target, readText(target, value as Record<string, unknown>), type === 'param' ? 'path' : type);
  }
}

/**
 * Reads a body as a DTO; for a route that does not always look at it.
 * @throws ValidationFailed naming every member that is wrong
 */
export const readBodyAs = <T extends object>(target: Type<T>, body: unknown): T =>
  readAs(target, asObject(body), 'body');

function asObject(value: unknown): object {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid('body', 'must be a JSON object');
  return value;
}

/**
 * Reads an object as a DTO; for a member whose class another member decides (OneOf).
 * @param where the path of the object, for what is wrong with it
 * @throws ValidationFailed naming every member that is wrong
 */
export function readAs<T extends object>(target: Type<T>, plain: object, where: string): T {
  const reader = readerOf(target);
  const found: Found = { unknown: [], faults: [], isClosed: !reader.takesExtra };
  const instance = reader.read(plain, where, found);
  reader.check(instance, where, found);
  const issues = [...found.unknown, ...found.faults];
  if (issues.length > 0) throw invalidMembers(issues);
  return instance;
}

/** Text of a query or path read as the number, flag or list its field is. */
function readText(target: Type<object>, source: Record<string, unknown>): object {
  const { textKinds } = readerOf(target);
  return Object.fromEntries(
    Object.entries(source ?? {}).map(([name, value]) => [name, readOne(textKinds.get(name), value)]),
  );
}

function readOne(kind: TextKind | undefined, value: unknown): unknown {
  if (kind === 'list') return Array.isArray(value) ? value : [value];
  if (typeof value !== 'string') return value;
  if (kind === 'flag')
    return value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : value;
  if (kind === 'integer') return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  // As JSON writes it, small ones by their exponent.
  if (kind === 'decimal') return /^-?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(value) ? Number(value) : value;
  return value;
}
