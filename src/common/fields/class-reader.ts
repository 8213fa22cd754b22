import type { Type as Class } from '@nestjs/common';
import { invalidMembers, type Issue } from '../problem/common-problems.js';
import { allowsExtraMembers, fieldsOf, inheritedFieldsOf, type FieldRecord, type TextKind } from './fields.js';
import type { ValueRule } from './value.rules.js';

/** So many members that a request does not have are named; the rest of the request is not looked at then. */
const MAX_UNKNOWN = 20;

/** What is wrong with an object, as it is found. */
export interface Found {
  /** What was sent in addition to the members of the DTO and of those in it. None of it is in the instance. */
  unknown: Issue[];
  /** What is wrong with the members that it has, or lacks. */
  faults: Issue[];
  /** Objects of no known class are faults as well. */
  isClosed: boolean;
}

type Members = Record<string, unknown>;
const READERS = new WeakMap<Class, ClassReader<object>>();

/** The reader of a class: made of what its fields declare when the class is first read, and kept. */
export function readerOf<T extends object>(type: Class<T>): ClassReader<T> {
  const reader = READERS.get(type) ?? new ClassReader<object>(type);
  READERS.set(type, reader);
  return reader as ClassReader<T>;
}

class ClassReader<T extends object> {
  readonly takesExtra: boolean;
  readonly textKinds: ReadonlyMap<string, TextKind | undefined>;
  private readonly members: readonly MemberReader[];
  /** What is wrong with the class's own members is said before what is wrong with those that it inherits. */
  private readonly ownFirst: readonly MemberReader[];
  private readonly hasRules: boolean;

  constructor(private readonly type: Class<T>) {
    const fields = fieldsOf(type);
    const inherited = inheritedFieldsOf(type);
    const isInherited = fields.map((field) => inherited.includes(field));
    this.takesExtra = allowsExtraMembers(type);
    this.textKinds = new Map(fields.map(({ name, textKind }) => [name, textKind]));
    this.members = fields.map((field) => new MemberReader(field));
    this.ownFirst = [false, true].flatMap((wanted) => this.members.filter((_, at) => isInherited[at] === wanted));
    this.hasRules = this.members.some((member) => member.hasRules);
  }

  /**
   * Makes a DTO of the members that it declares, and of the objects in it that are DTOs. All other values are handed
   * over as they came in, whatever is in them: the time this takes goes by the DTO and not by what was sent.
   * @throws ValidationFailed for many unknown members, or for a list that is longer than its field allows
   */
  read(plain: object, where: string, found: Found): T {
    const instance = new this.type();
    if (this.takesExtra) Object.assign(instance, plain);
    else this.noteUnknown(plain, where, found);
    for (const member of this.members) {
      const value = member.read((plain as Members)[member.name], where, found);
      if (value !== undefined) (instance as Members)[member.name] = value;
    }
    return instance;
  }

  /** Notes what is wrong with an instance that was read. */
  check(instance: T, where: string, found: Found): void {
    if (found.isClosed && !this.hasRules) found.faults.push(ofNoClass(where));
    for (const member of this.ownFirst) member.check((instance as Members)[member.name], where, found);
  }

  private noteUnknown(plain: object, where: string, { unknown }: Found): void {
    for (const name of Object.keys(plain)) {
      if (this.textKinds.has(name)) continue;
      unknown.push({
        path: `${where}.${name.slice(0, 100)}`,
        message: 'is not a member of this request; leave it out',
      });
      if (unknown.length >= MAX_UNKNOWN) throw invalidMembers(unknown);
    }
  }
}

/** What is said of an object that no class is known of. */
const ofNoClass = (path: string): Issue => ({ path: `${path}.undefined`, message: 'is required' });

class MemberReader {
  readonly name: string;
  readonly hasRules: boolean;
  private readonly rules: readonly (Omit<ValueRule, 'faultOf'> & { message: string })[];
  /** The class of the object that the value is, or of those that it is a list of, where they are read with it. */
  private readonly part: (() => Class<object>) | undefined;
  private readonly partMessage: string;
  private readonly maxItems: number;

  constructor(private readonly field: FieldRecord) {
    const { name, options, schema, rules } = field;
    this.name = name;
    this.rules = rules.map(({ faultOf, ...rest }) => ({ ...rest, message: faultOf(name) }));
    this.hasRules = rules.length > 0 || Boolean(options.optional || options.nullable);
    this.part = options.isReadLater ? undefined : options.type;
    const prefix = schema.type === 'array' ? 'each value in ' : '';
    this.partMessage = `${prefix}nested property ${name} must be either object or array`;
    this.maxItems = (schema.maxItems as number | undefined) ?? Infinity;
  }

  read(value: unknown, where: string, found: Found): unknown {
    if (value === undefined) return copyOf(this.field.options.default);
    const isList = Array.isArray(value);
    if (isList && value.length > this.maxItems) throw this.tooLong(where, found);
    if (!this.part) return value;
    const type = this.part();
    const path = `${where}.${this.name}`;
    if (!isList) return readPart(type, value, path, found);
    return value.map((item: unknown, at) => readPart(type, item, `${path}[${at}]`, found));
  }

  check(value: unknown, where: string, found: Found): void {
    const { optional, nullable } = this.field.options;
    if (value === undefined ? optional : value === null && nullable) return;
    for (const { isKept, placeIn, message } of this.rules) {
      if (isKept(value)) continue;
      // What is wrong with a value says nothing of one that is not there.
      const isMissing = value === undefined;
      const path = `${where}.${this.name}${placeIn?.(value) ?? ''}`;
      found.faults.push({ path, message: isMissing ? 'is required' : message });
      if (isMissing) return;
    }
    if (this.part) this.checkParts(this.part(), value, `${where}.${this.name}`, found);
  }

  private checkParts(type: Class<object>, value: unknown, path: string, found: Found): void {
    if (value === undefined) return;
    if (Array.isArray(value)) value.forEach((item, at) => this.checkParts(type, item, `${path}[${at}]`, found));
    else if (value instanceof type) readerOf(type).check(value, path, found);
    else if (!(value instanceof Object)) found.faults.push({ path, message: this.partMessage });
    else if (found.isClosed) found.faults.push(ofNoClass(path));
  }

  private tooLong(where: string, { unknown }: Found): Error {
    const message = `${this.name} must contain no more than ${this.maxItems} elements`;
    return invalidMembers([...unknown, { path: `${where}.${this.name}`, message }]);
  }
}

/** What is no object is left to the rules of the field. */
function readPart(type: Class<object>, value: unknown, path: string, found: Found): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return readerOf(type).read(value, path, found);
}

/** A default that is a list or an object is each request's own. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]));
}
