import type { Type } from '@nestjs/common';
import { invalidMembers, type Issue } from '../problem/common-problems.js';
import { allowsExtraMembers, fieldsOf, type FieldRecord } from './fields.js';

/** So many members that a request does not have are named; the rest of the request is not looked at then. */
const MAX_UNKNOWN = 20;

/** An object that was sent, as a DTO: not yet validated. */
export interface Read<T> {
  instance: T;
  /** What was sent in addition to the members of the DTO and of those in it. None of it is in the instance. */
  unknown: Issue[];
}

/**
 * Makes a DTO of the members that it declares, and of the objects in it that are DTOs. All other values are handed over
 * as they came in, whatever is in them: the time this takes goes by the DTO and not by what was sent.
 * @throws ValidationFailed for many unknown members, or for a list that is longer than its field allows
 */
export function instanceOf<T extends object>(target: Type<T>, plain: object, where: string): Read<T> {
  const unknown: Issue[] = [];
  return { instance: new Reading(unknown).read(target, plain, where), unknown };
}

class Reading {
  constructor(private readonly unknown: Issue[]) {}

  read<T extends object>(target: Type<T>, plain: object, where: string): T {
    const fields = fieldsOf(target);
    const instance = new target();
    if (allowsExtraMembers(target)) Object.assign(instance, plain);
    else this.noteUnknown(fields, plain, where);
    const sent = plain as Record<string, unknown>;
    for (const field of fields) {
      const value = this.readMember(field, sent[field.name], `${where}.${field.name}`);
      if (value !== undefined) (instance as Record<string, unknown>)[field.name] = value;
    }
    return instance;
  }

  private noteUnknown(fields: readonly FieldRecord[], plain: object, where: string): void {
    for (const name of Object.keys(plain)) {
      if (fields.some((field) => field.name === name)) continue;
      this.unknown.push({
        path: `${where}.${name.slice(0, 100)}`,
        message: 'is not a member of this request; leave it out',
      });
      if (this.unknown.length >= MAX_UNKNOWN) throw invalidMembers(this.unknown);
    }
  }

  private readMember({ name, options, schema }: FieldRecord, value: unknown, path: string): unknown {
    if (value === undefined) return copyOf(options.default);
    const nested = options.isReadLater ? undefined : options.type;
    const { maxItems = Infinity } = schema as { maxItems?: number };
    if (!Array.isArray(value)) return nested ? this.readNested(nested(), value, path) : value;
    if (value.length > maxItems) {
      const message = `${name} must contain no more than ${maxItems} elements`;
      throw invalidMembers([...this.unknown, { path, message }]);
    }
    if (!nested) return value;
    return value.map((item: unknown, at) => this.readNested(nested(), item, `${path}[${at}]`));
  }

  /** What is no object is left to the rules of the field. */
  private readNested(type: Type<object>, value: unknown, path: string): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return this.read(type, value, path);
  }
}

/** A default that is an object is each request's own. */
const copyOf = (value: unknown): unknown => (typeof value === 'object' ? structuredClone(value) : value);
