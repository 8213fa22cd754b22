export const SCIM_JSON = 'application/scim+json';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0';

/** Most resources of one page. */
const MAX_COUNT = 200;

const supported = (isSupported: boolean) => ({ supported: isSupported });

/** RFC 7643, 5. */
export const SERVICE_PROVIDER_CONFIG = {
  schemas: [`${CORE}:ServiceProviderConfig`],
  patch: supported(true),
  bulk: { ...supported(false), maxOperations: 0, maxPayloadSize: 0 },
  filter: { ...supported(true), maxResults: MAX_COUNT },
  changePassword: supported(false),
  sort: supported(false),
  etag: supported(false),
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'API key',
      description: 'An API key of the tenant, as Authorization: Bearer',
      primary: true,
    },
  ],
};

/** RFC 7643, 6. */
export const RESOURCE_TYPES = [
  {
    schemas: [`${CORE}:ResourceType`],
    id: 'User',
    name: 'User',
    endpoint: '/Users',
    description: 'A person with a seat in the tenant',
    schema: USER_SCHEMA,
  },
  {
    schemas: [`${CORE}:ResourceType`],
    id: 'Group',
    name: 'Group',
    endpoint: '/Groups',
    description: 'Users whose seats have a role by it, where SVC_OIDC_GROUP_ROLES names it',
    schema: GROUP_SCHEMA,
  },
];

const attribute = (name: string, type: string, description: string, more: object = {}) => ({
  name,
  type,
  description,
  ...{ multiValued: false, required: false, caseExact: true, mutability: 'readWrite', returned: 'default' },
  ...{ uniqueness: 'none', ...more },
});

/** RFC 7643, 7: what of the core schemas is kept here. */
export const SCHEMAS = [
  {
    schemas: [`${CORE}:Schema`],
    id: USER_SCHEMA,
    name: 'User',
    description: 'A person with a seat in the tenant',
    attributes: [
      attribute('userName', 'string', 'The e-mail address of the seat', {
        ...{ required: true, caseExact: false, mutability: 'immutable', uniqueness: 'server' },
      }),
      attribute('active', 'boolean', 'Whether the user has a seat; what it opened ends with it'),
      attribute('emails', 'complex', 'The e-mail address once more', {
        ...{ multiValued: true, mutability: 'readOnly' },
        subAttributes: [
          attribute('value', 'string', 'The address', { mutability: 'readOnly' }),
          attribute('primary', 'boolean', 'Always true', { mutability: 'readOnly' }),
        ],
      }),
      attribute('roles', 'complex', 'What the seat may do: admin, member or viewer', {
        multiValued: true,
        subAttributes: [
          attribute('value', 'string', 'The role', { canonicalValues: ['admin', 'member', 'viewer'] }),
          attribute('primary', 'boolean', 'Always true'),
        ],
      }),
      attribute('groups', 'complex', 'The groups that the user is in', {
        ...{ multiValued: true, mutability: 'readOnly' },
        subAttributes: [
          attribute('value', 'string', 'The id of the group', { mutability: 'readOnly' }),
          attribute('display', 'string', 'Its name', { mutability: 'readOnly' }),
        ],
      }),
    ],
  },
  {
    schemas: [`${CORE}:Schema`],
    id: GROUP_SCHEMA,
    name: 'Group',
    description: 'Users of the tenant',
    attributes: [
      attribute('displayName', 'string', 'The name of the group', {
        ...{ required: true, caseExact: false, uniqueness: 'server' },
      }),
      attribute('members', 'complex', 'Its users', {
        multiValued: true,
        subAttributes: [
          attribute('value', 'string', 'The id of the user', { mutability: 'immutable' }),
          attribute('display', 'string', 'The e-mail address of the user', { mutability: 'readOnly' }),
        ],
      }),
    ],
  },
];

/** A page by number (RFC 7644, 3.4.2.4); what is out of range is taken as the nearest that is not. */
export const pageOf = ({ startIndex = 1, count = MAX_COUNT }: { startIndex?: number; count?: number }) => ({
  first: Math.max(1, startIndex),
  limit: Math.min(MAX_COUNT, Math.max(0, count)),
});

/** Members of all resources of a page together: it may have fewer than were asked for (RFC 7644, 3.4.2.4). */
const MAX_MEMBERS_OF_PAGE = 20_000;

/** The first of these resources, one at least, that have no more members together than a page shows. */
export function fitting<T>(resources: readonly T[], membersOf: (resource: T) => number): readonly T[] {
  let sum = 0;
  const end = resources.findIndex((resource, place) => {
    sum += membersOf(resource);
    return place > 0 && sum > MAX_MEMBERS_OF_PAGE;
  });
  return end === -1 ? resources : resources.slice(0, end);
}

/** RFC 7644, 3.4.2. */
export const listOf = (resources: readonly object[], totalResults = resources.length, startIndex = 1) => ({
  schemas: [LIST_SCHEMA],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

/** JSON Schema of the error body of a status (RFC 7644, 3.12). */
export const errorBody = (status: number) => ({
  type: 'object',
  required: ['schemas', 'status'],
  properties: {
    schemas: { type: 'array', items: { type: 'string', enum: [ERROR_SCHEMA] } },
    status: { type: 'string', enum: [String(status)] },
    scimType: { type: 'string' },
    detail: { type: 'string' },
  },
});
