import { DateTime, Flag, Integer, ListOf, Text } from '../../../common/fields/fields.js';
import { NextCursor, PageCount } from '../../../common/fields/page.dto.js';
import { PASSPORT } from '../../../common/fields/passport.js';
import { ProjectMember, RepoLink, TenantLink } from './project-links.dto.js';
import { SLUG } from './projects.types.js';

export class CreatePlane {
  @Text({
    about:
      'Its id within the project: lower-case letters, digits and hyphens, a letter or digit first. It stays taken once the plane is deleted.',
    max: 63,
    pattern: SLUG,
    example: 'backend',
  })
  id!: string;

  @Text({ about: 'What it is called; its id when absent.', optional: true, min: 1, max: 200 })
  name?: string;

  @Text({ about: 'What it is about.', optional: true, min: 1, max: 4_000 })
  description?: string;

  @Text({
    about: 'The passport that acts for it; the default passport of the project when absent.',
    optional: true,
    max: 128,
    pattern: PASSPORT,
  })
  default_passport_id?: string;
}

/** What a list shows of one (memory-daemon.md 2.4). */
export class PlaneSummary {
  @Text({ about: 'The plane.' })
  id!: string;

  @Text({ about: 'The project that it is a part of.' })
  project_id!: string;

  @Text({ about: 'What it is called.' })
  name!: string;

  @Text({ about: 'What it is about; null: nothing was said.', nullable: true })
  description!: string | null;

  @Text({ about: 'The passport that acts for it; null: the default passport of the project.', nullable: true })
  default_passport_id!: string | null;

  @Integer({ about: 'Counts its changes from 1, those of its links too.', min: 1 })
  version!: number;

  @Text({ about: 'The principal that created it.' })
  created_by!: string;

  @DateTime({ about: 'When it was created.' })
  created_at!: string;

  @DateTime({ about: 'When it, or one of its links, changed last.' })
  updated_at!: string;
}

export class Plane extends PlaneSummary {
  @ListOf({ about: 'The passports that take part, by name.', type: () => ProjectMember })
  passports!: ProjectMember[];

  @ListOf({ about: 'The tenants that it works in, by name.', type: () => TenantLink })
  tenants!: TenantLink[];

  @ListOf({ about: 'Its repositories, by name.', type: () => RepoLink })
  repos!: RepoLink[];
}

export class PlaneList {
  @Text({ about: 'The project.' })
  project_id!: string;

  @ListOf({ about: 'Its planes, by id.', type: () => PlaneSummary })
  planes!: PlaneSummary[];

  @PageCount()
  count!: number;

  @Flag({ about: 'Whether there is another page.' })
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class PlaneDeleted {
  @Text({ about: 'The plane.' })
  id!: string;

  @Text({ about: 'The project that it was a part of.' })
  project_id!: string;

  @Flag({ about: 'It is hidden from now on. Its layers and receipts stay, and its id stays taken.' })
  deleted!: boolean;

  @Integer({
    about: 'Members and tenant links that went with it, and repo links, which are those of the project alone now.',
    min: 0,
  })
  removed_links!: number;
}
