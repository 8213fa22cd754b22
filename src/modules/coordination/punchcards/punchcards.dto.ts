import { Choice, Flag, Integer, Text, TextList } from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';
import { LEASE_MODES, LEASE_STATUSES } from '../leases/lease-states.types.js';
import { DEFAULT_TTL_SECONDS, MAX_TTL_SECONDS } from '../leases/leases.types.js';
import { MAX_PATHS } from './punchcards.types.js';
import { MAX_PATH, MAX_RESOURCE } from './resources.rules.js';

const RESOURCE =
  'A path from the root of the repository, as `src/api` or `owner/repo:src/api`: that and everything below it. Wildcards are `*`, `?` and `**`; without `owner/repo:` it is of any repository.';

const Resource = (options: { optional?: boolean } = {}) =>
  Text({ about: RESOURCE, min: 1, max: MAX_RESOURCE, example: 'src/api/**/*.ts', ...options });
const Mode = () =>
  Choice({
    about: '`read` keeps off writers; `write` keeps off everybody else.',
    values: LEASE_MODES,
    default: 'write',
  });
const Passport = (about: string) => Text({ about, optional: true, min: 1, max: 200, example: 'agent-7' });
const Holder = () => Passport('The passport that holds it; that of the credential unless it is said.');
const Ttl = () =>
  Integer({ about: 'Seconds until it ends by itself.', min: 1, max: MAX_TTL_SECONDS, default: DEFAULT_TTL_SECONDS });
const Id = (options: { optional?: boolean } = {}) => Text({ about: 'The punchcard.', min: 1, max: 64, ...options });

export class PunchcardPath {
  @Id()
  id!: string;
}

export class PunchcardsQuery extends PageQuery {
  @Text({ about: 'Only punchcards of exactly this resource.', optional: true, min: 1, max: MAX_RESOURCE })
  resource?: string;

  @Passport('Only those that this passport holds, or asked for.')
  holder?: string;

  @Passport('Only those that this passport holds.')
  holder_passport?: string;

  @Choice({
    about: 'Only those in this state; one whose time is over is `expired`.',
    values: LEASE_STATUSES,
    optional: true,
  })
  status?: (typeof LEASE_STATUSES)[number];

  @TenantIdMember('The tenant; that of the credential unless it is said.', { optional: true })
  tenant_id?: string;
}

export class AcquirePunchcard {
  @Resource()
  resource!: string;

  @Mode()
  mode!: (typeof LEASE_MODES)[number];

  @Text({ about: 'What it is held for.', optional: true, max: 2000 })
  reason?: string;

  @Ttl()
  ttl_secs!: number;

  @TenantIdMember('The tenant; that of the credential unless it is said.', { optional: true })
  tenant_id?: string;

  @Holder()
  holder_passport?: string;
}

export class CheckPunchcard {
  @Resource()
  resource!: string;

  @Mode()
  mode!: (typeof LEASE_MODES)[number];

  @Passport('Who would touch it, and is not in its own way; the passport of the credential unless it is said.')
  passport?: string;
}

export class CheckPaths {
  @TextList({ about: 'Paths as git names them, without wildcards.', minItems: 1, maxItems: MAX_PATHS, max: MAX_PATH })
  paths!: string[];

  @Text({
    about: 'The repository of the paths.',
    optional: true,
    pattern: /^[\w.-]{1,100}\/[\w.-]{1,100}$/,
    example: 'acme/shop',
  })
  repo?: string;

  @Mode()
  mode!: (typeof LEASE_MODES)[number];

  @Passport('Who would touch them, and is not in its own way; the passport of the credential unless it is said.')
  passport?: string;
}

export class RenewPunchcard {
  @Ttl()
  ttl_secs!: number;

  @Holder()
  holder_passport?: string;
}

export class ReleasePunchcard {
  @Id({ optional: true })
  id?: string;

  @Resource({ optional: true })
  resource?: string;

  @Text({ about: 'The commit that the work ended with.', optional: true, pattern: /^[0-9a-f]{7,64}$/ })
  release_commit_sha?: string;

  @Holder()
  holder_passport?: string;
}

export class ForceReleasePunchcard {
  @Flag({ about: 'Must be true: whoever holds it does not know that it ends.', optional: true })
  confirm?: boolean;

  @Text({ about: 'Why; receipt and event say it.', optional: true, max: 2000 })
  reason?: string;

  @Passport('Who ends it; the passport of the credential unless it is said.')
  by_passport?: string;
}
