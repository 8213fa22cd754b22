import type { Type } from '@nestjs/common';
import { fieldsOf, type FieldRecord } from '../fields/fields.js';
import { snakeCase } from '../fields/snake-case.js';
import type { RouteRecord } from './contract.js';

/** OpenAPI 3.1, 4.8.20: which parameters of another operation, and which members of its body, an answer gives. */
export interface Link {
  operationId: string;
  /** Runtime expressions by name of the parameter, with `query.` before those of the query. */
  parameters?: Record<string, string>;
  /** Runtime expressions by the JSON pointer of a member of the body, without its first slash. */
  'x-body'?: Record<string, string>;
}

/**
 * Where ids come from: an answer that makes or lists what the path of another route names is linked to it, and one that
 * has what a body asks for (`isOfAnswer`), or what the other route says that it takes (`Trial`). The page at /docs
 * fills such an id in once it was answered.
 */
export function linksOf(route: RouteRecord, routes: readonly RouteRecord[]): Record<string, Link> {
  const members = route.reply.type ? membersOf(route.reply.type) : [];
  const links = routes.flatMap((target): [string, Link][] => {
    const parameters = target === route || members.length === 0 ? {} : parametersOf(route, target, members);
    const body = target === route ? {} : bodyOf(target, members);
    const { body: takenBody, parameters: taken } = takenOf(route, target);
    return linkTo(target, { parameters: { ...parameters, ...taken }, body: { ...body, ...takenBody } });
  });
  return Object.fromEntries(links);
}

type Expressions = Record<string, string>;

function linkTo(
  { operationId }: RouteRecord,
  { parameters, body }: { parameters: Expressions; body: Expressions },
): [string, Link][] {
  const link = {
    operationId,
    ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
    ...(Object.keys(body).length > 0 ? { 'x-body': body } : {}),
  };
  return Object.keys(link).length > 1 ? [[operationId, link]] : [];
}

/** What a route takes of this answer by its own word. */
function takenOf({ operationId }: RouteRecord, { tried }: RouteRecord): { parameters: Expressions; body: Expressions } {
  const taken = Object.entries(tried?.from ?? {}).flatMap(([name, source]): [string, string][] => {
    const [id, pointer] = source.split('#') as [string, string];
    return id === operationId ? [[name, `$response.body#${pointer}`]] : [];
  });
  const [members, parameters] = [true, false].map((inBody) =>
    taken.filter(([name]) => name.startsWith('body/') === inBody),
  ) as [[string, string][], [string, string][]];
  return {
    parameters: Object.fromEntries(parameters),
    body: Object.fromEntries(members.map(([name, expression]) => [name.slice('body/'.length), expression])),
  };
}

/** A member of an object, or of what it holds: of a list the first. */
interface Member {
  pointer: string;
  field: FieldRecord;
}

/** By class: each is looked at once for every pair of routes. */
const known = new WeakMap<Type, readonly Member[]>();

function membersOf(type: Type): readonly Member[] {
  const members = known.get(type) ?? findMembers(type);
  known.set(type, members);
  return members;
}

function findMembers(type: Type): Member[] {
  const own = fieldsOf(type).map((field): Member => ({ pointer: field.name, field }));
  const inner = own.flatMap(({ pointer, field: { schema, options } }) => {
    const place = schema.type === 'array' ? `${pointer}/0` : pointer;
    const fields = options.type ? fieldsOf(options.type()) : [];
    return fields.map((field): Member => ({ pointer: `${place}/${field.name}`, field }));
  });
  return [...own, ...inner];
}

const expressionOf = ({ pointer }: Member): string => `$response.body#/${pointer}`;
const findNamed = (members: readonly Member[], name: string): Member | undefined =>
  members.find(({ field }) => snakeCase(field.name) === snakeCase(name));

/** Ids in the path that the caller has not chosen: an example of their own says that it has. */
function parametersOf(source: RouteRecord, target: RouteRecord, members: readonly Member[]): Record<string, string> {
  // What a list has was made for something: it is not for trying out how it is removed.
  if (!target.inputs.path || (source.verb === 'GET' && target.verb !== 'GET')) return {};
  if (source.tag !== target.tag && !target.path.startsWith(`${source.path}/:`)) return {};
  const { parameters = {}, from = {} } = target.tried ?? {};
  const unknown = fieldsOf(target.inputs.path).filter(
    ({ name, options }) => options.example === undefined && !(name in parameters) && !(name in from),
  );
  const found = unknown.flatMap(({ name }): [string, string][] => {
    const member = sourceOf(name, { source, target, members });
    return member ? [[name, expressionOf(member)]] : [];
  });
  return Object.fromEntries(found);
}

/**
 * The member of that name where both routes are of one group; the id of an answer where one path is above the other.
 */
function sourceOf(
  name: string,
  { source, target, members }: { source: RouteRecord; target: RouteRecord; members: readonly Member[] },
): Member | undefined {
  if (source.path.includes(`/:${name}`)) return undefined;
  if (!target.path.startsWith(`${source.path}/:${name}`))
    return source.tag === target.tag && name !== 'id' ? findNamed(members, name) : undefined;
  const noun = source.path.split('/').at(-1)!.replaceAll('-', '_').replace(/s$/, '');
  const own = members.filter(({ pointer }) => !pointer.includes('/'));
  const wanted = [name, `${noun}_id`, 'id'];
  const named = [own, members].flatMap((among) => wanted.flatMap((one) => findNamed(among, one) ?? []));
  const ids = own.filter(({ pointer }) => /(?:Id|_id)$/.test(pointer));
  return named[0] ?? (source.verb === 'POST' ? ids[0] : undefined);
}

function bodyOf({ inputs }: RouteRecord, members: readonly Member[]): Record<string, string> {
  const asked = inputs.body ? membersOf(inputs.body).filter(({ field }) => field.options.isOfAnswer) : [];
  const found = asked.flatMap(({ pointer, field }): [string, string][] => {
    const member = findNamed(members, field.name);
    return member ? [[pointer, expressionOf(member)]] : [];
  });
  return Object.fromEntries(found);
}
