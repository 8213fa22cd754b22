import type { Drift, Json } from './drift.types.js';

export type JsonObject = { [name: string]: Json };
/** Whether values go to the server or come from it: what is a gift on one side is a demand on the other. */
type Side = 'request' | 'response';

const MAX_DEPTH = 16;
const MAX_REFS = 32;

/** A value as a sentence names it. */
export const written = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** What a reference within a document leads to. */
export function resolve(document: JsonObject, node: Json | undefined): JsonObject | undefined {
  let found = node;
  for (let steps = 0; isObject(found) && typeof found.$ref === 'string'; steps += 1) {
    if (steps > MAX_REFS || !found.$ref.startsWith('#/')) return undefined;
    const names = found.$ref.slice(2).split('/');
    found = names.reduce<Json | undefined>((at, name) => {
      const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
      return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    }, document);
  }
  return isObject(found) ? found : undefined;
}

/** A schema as far as it is compared. */
interface Form {
  types: ReadonlySet<string>;
  members: ReadonlyMap<string, Json>;
  required: ReadonlySet<string>;
  items: Json | undefined;
  values: readonly Json[] | undefined;
  least: JsonObject;
  isClosed: boolean;
}

/** Bounds by which way they narrow. */
const BOUNDS = { minLength: 1, minItems: 1, minimum: 1, maxLength: -1, maxItems: -1, maximum: -1 } as const;

function formOf(document: JsonObject, node: Json | undefined): Form {
  const parts = partsOf(document, node, 0);
  const types = new Set(parts.flatMap(typesOf));
  const members = new Map(parts.flatMap(({ properties }) => (isObject(properties) ? Object.entries(properties) : [])));
  const required = parts.flatMap((part) => (Array.isArray(part.required) ? part.required : []));
  const all = parts.find((part) => Array.isArray(part.enum))?.enum;
  return {
    ...{ types, members, required: new Set(required.filter((name) => typeof name === 'string')) },
    items: parts.find(({ items }) => items !== undefined)?.items,
    values: Array.isArray(all) ? all : undefined,
    least: Object.assign({}, ...parts) as JsonObject,
    isClosed: parts.some(({ additionalProperties }) => additionalProperties === false),
  };
}

/** A schema with those that it is made of. */
function partsOf(document: JsonObject, node: Json | undefined, depth: number): JsonObject[] {
  const schema = resolve(document, node);
  if (!schema || depth > 4) return [];
  const of = (name: string): Json[] => listOf(schema[name]);
  const others = [...of('allOf'), ...of('anyOf'), ...of('oneOf')];
  return [schema, ...others.flatMap((one) => partsOf(document, one, depth + 1))];
}

function typesOf({ type, const: only, properties }: JsonObject): string[] {
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string');
  if (only !== undefined) return [only === null ? 'null' : Array.isArray(only) ? 'array' : typeof only];
  return properties === undefined ? [] : ['object'];
}

/** What differs between a schema of one document and that of another. */
export class SchemaDrift {
  readonly found: Drift[] = [];
  private readonly seen = new Set<string>();

  constructor(
    private readonly before: JsonObject,
    private readonly after: JsonObject,
  ) {}

  compare(side: Side, where: string, [old, now]: [Json | undefined, Json | undefined], depth = 0): void {
    if (depth > MAX_DEPTH || this.wasSeen(side, old, now)) return;
    const [a, b] = [formOf(this.before, old), formOf(this.after, now)];
    this.compareTypes(side, where, a, b);
    this.compareValues(side, where, a, b);
    if (side === 'request') this.compareBounds(where, a, b);
    this.compareMembers(side, where, a, b);
    for (const [name, member] of a.members)
      if (b.members.has(name)) this.compare(side, `${where}.${name}`, [member, b.members.get(name)], depth + 1);
    if (a.items !== undefined && b.items !== undefined) this.compare(side, `${where}[]`, [a.items, b.items], depth + 1);
  }

  /** Schemas by name are compared once a side, wherever they are used. */
  private wasSeen(side: Side, old: Json | undefined, now: Json | undefined): boolean {
    if (!isObject(old) || !isObject(now) || typeof old.$ref !== 'string' || typeof now.$ref !== 'string') return false;
    const key = `${side} ${old.$ref} ${now.$ref}`;
    if (this.seen.has(key)) return true;
    this.seen.add(key);
    return false;
  }

  private compareTypes(side: Side, where: string, a: Form, b: Form): void {
    const gone = [...a.types].filter((type) => !b.types.has(type));
    const come = [...b.types].filter((type) => !a.types.has(type));
    if (a.types.size === 0 || b.types.size === 0 || gone.length + come.length === 0) return;
    // A number takes every integer.
    const lost = gone.filter((type) => !(type === 'integer' && b.types.has('number')));
    const breaking = side === 'request' ? lost.length > 0 : come.length > 0;
    this.add(
      `${side}.type_changed`,
      where,
      breaking,
      `${[...a.types].join(' or ')} is ${[...b.types].join(' or ')} now`,
    );
  }

  private compareValues(side: Side, where: string, { values: a }: Form, { values: b }: Form): void {
    if (!a && !b) return;
    const without = (some: readonly Json[], others: readonly Json[]): Json[] =>
      some.filter((value) => !others.some((other) => other === value));
    const gone = b ? without(a ?? [], b) : [];
    const come = a ? without(b ?? [], a) : [];
    if (side === 'request' && (gone.length > 0 || (!a && b)))
      this.add(
        'request.values_narrowed',
        where,
        true,
        `no longer taken: ${gone.map(written).join(', ') || 'other values'}`,
      );
    if (side === 'response' && come.length > 0)
      this.add('response.values_widened', where, false, `new: ${come.map(written).join(', ')}`);
  }

  private compareBounds(where: string, { least: a }: Form, { least: b }: Form): void {
    for (const [name, way] of Object.entries(BOUNDS)) {
      const [old, now] = [a[name], b[name]];
      if (typeof now !== 'number' || (typeof old === 'number' && (now - old) * way <= 0)) continue;
      this.add(
        'request.bound_narrowed',
        where,
        true,
        `${name} ${typeof old === 'number' ? old : 'none'} is ${now} now`,
      );
    }
    if (typeof b.pattern === 'string' && b.pattern !== a.pattern)
      this.add('request.pattern_changed', where, true, `must match ${b.pattern} now`);
  }

  private compareMembers(side: Side, where: string, a: Form, b: Form): void {
    for (const name of a.members.keys()) {
      const at = `${where}.${name}`;
      if (!b.members.has(name)) {
        if (side === 'response') this.add('response.member_removed', at, true, 'is not answered any more');
        else if (b.isClosed) this.add('request.member_removed', at, true, 'is refused now');
      } else if (side === 'response' && a.required.has(name) && !b.required.has(name))
        this.add('response.member_optional', at, true, 'may be left out now');
    }
    for (const name of b.members.keys()) {
      const at = `${where}.${name}`;
      const isNew = !a.members.has(name);
      if (side === 'request' && b.required.has(name) && !a.required.has(name))
        this.add('request.member_required', at, true, isNew ? 'is new, and needed' : 'is needed now');
      else if (isNew) this.add(`${side}.member_added`, at, false, 'is new');
    }
  }

  add(change: string, where: string, breaking: boolean, detail: string): void {
    this.found.push({ change, where, breaking, detail });
  }
}
