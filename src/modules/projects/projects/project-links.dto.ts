import { DateTime, Flag, ListOf, Text } from '../../../common/fields/fields.js';
import { NextCursor, PageCount } from '../../../common/fields/page.dto.js';
import { PASSPORT } from '../../../common/fields/passport.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';
import { REPO, SLUG } from './projects.types.js';

const MAX_ROLE = 64;

export class AddMember {
  @Text({ about: 'The passport.', max: 128, pattern: PASSPORT, example: 'codex:7' })
  passport_id!: string;

  @Text({ about: 'What it is there for, in your own words.', min: 1, max: MAX_ROLE, default: 'member' })
  role!: string;
}

export class LinkTenant {
  @TenantIdMember('The tenant. It need not be registered yet; the link gives nobody access to it.', {
    example: 'default',
  })
  tenant_id!: string;

  @Text({
    about: 'The passport that acts in that tenant; the default passport of the project when absent.',
    optional: true,
    max: 128,
    pattern: PASSPORT,
  })
  default_passport_id?: string;
}

export class LinkRepo {
  @Text({ about: 'The repository, as owner/repo.', max: 201, pattern: REPO, example: 'acme/lighthouse' })
  repo!: string;

  @Text({
    about: 'The plane of the project that it belongs to; absent for none.',
    optional: true,
    max: 63,
    pattern: SLUG,
  })
  plane_id?: string;

  @Text({ about: 'What it is there for, in your own words.', optional: true, min: 1, max: MAX_ROLE })
  role?: string;
}

/** A passport that takes part in a project or plane. */
export class ProjectMember {
  @Text({ about: 'The passport.' })
  passport_id!: string;

  @Text({ about: 'What it is there for.' })
  role!: string;

  @Text({ about: 'The principal that added it.' })
  created_by!: string;

  @DateTime({ about: 'When it was added.' })
  created_at!: string;
}

/** A tenant that a project or plane works in. */
export class TenantLink {
  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Text({ about: 'The passport that acts in it; null: the default passport of the project.', nullable: true })
  default_passport_id!: string | null;

  @Text({ about: 'The principal that linked it.' })
  created_by!: string;

  @DateTime({ about: 'When it was linked.' })
  created_at!: string;
}

export class RepoLink {
  @Text({ about: 'The repository, as owner/repo.' })
  repo!: string;

  @Text({ about: 'The plane that it belongs to; null: none.', nullable: true })
  plane_id!: string | null;

  @Text({ about: 'What it is there for; null: nothing was said.', nullable: true })
  role!: string | null;

  @Text({ about: 'The principal that linked it.' })
  created_by!: string;

  @DateTime({ about: 'When it was linked.' })
  created_at!: string;
}

export class RepoLinks {
  @Text({ about: 'The project.' })
  project_id!: string;

  @ListOf({ about: 'Its repositories, by name.', type: () => RepoLink })
  links!: RepoLink[];

  @PageCount()
  count!: number;

  @Flag({ about: 'Whether there is another page.' })
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class PlaneRepoLinks extends RepoLinks {
  @Text({ about: 'The plane.' })
  plane_id!: string;
}

export class LinkDeleted {
  @Flag({ about: 'Whether it was there, and is not any more.' })
  deleted!: boolean;
}
