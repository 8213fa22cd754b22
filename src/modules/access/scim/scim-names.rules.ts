import { GROUP_SCHEMA, USER_SCHEMA } from './scim-schemas.js';
import { ScimInvalid } from './scim.problems.js';

/** The names of messages and attributes that are read here. */
const READ = [
  ...['schemas', 'Operations', 'op', 'path', 'value', 'type', 'primary', 'display', '$ref'],
  ...['id', 'externalId', 'userName', 'displayName', 'active', 'roles', 'members', 'emails', 'groups', 'meta'],
];
const BY_LOWER_CASE = new Map(READ.map((name) => [name.toLowerCase(), name]));
const CORE_PREFIXES = [USER_SCHEMA, GROUP_SCHEMA].map((schema) => `${schema.toLowerCase()}:`);

/**
 * A body with the names of attributes as they are read here: RFC 7643, 2.1 has them in upper or lower case, and RFC
 * 7644, 3.10 with the schema before them.
 * @throws ScimInvalid where two members would be the same attribute
 */
export function withNamesAsRead(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withNamesAsRead);
  if (typeof body !== 'object' || body === null) return body;
  const members = Object.entries(body).map(([sent, value]) => {
    const name = asRead(sent);
    return [name, name === 'path' && typeof value === 'string' ? asRead(value) : withNamesAsRead(value)] as const;
  });
  const seen = new Set<string>();
  for (const [name] of members)
    if (seen.size === seen.add(name).size)
      throw new ScimInvalid({ scimType: 'invalidSyntax' }, `${name} is there more than once`);
  return Object.fromEntries(members);
}

/** A name, or the path of a PATCH (RFC 7644, 3.5.2): a filter within it stays as it is. */
function asRead(path: string): string {
  const trimmed = path.trim();
  const prefix = CORE_PREFIXES.find((core) => trimmed.toLowerCase().startsWith(core)) ?? '';
  const [, attribute = '', filter = '', rest = ''] = /^([^[]*)(\[.*\])?(.*)$/s.exec(trimmed.slice(prefix.length)) ?? [];
  return `${namesAsRead(attribute)}${filter}${namesAsRead(rest)}`;
}

const namesAsRead = (names: string): string =>
  names
    .split('.')
    .map((name) => BY_LOWER_CASE.get(name.toLowerCase()) ?? name)
    .join('.');
