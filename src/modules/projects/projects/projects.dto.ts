import { DateTime, Flag, Integer, ListOf, Text, TextList } from '../../../common/fields/fields.js';
import { NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { PASSPORT } from '../../../common/fields/passport.js';
import { ProjectMember, RepoLink, TenantLink } from './project-links.dto.js';
import { SLUG } from './projects.types.js';

const MAX_NAME = 200;
const MAX_PLANNING_TARGET = 2_000;
const MAX_TENANTS = 100;

export class ProjectQuery extends PageQuery {
  @Flag({ about: 'Only archived ones, or only those that are not.', optional: true })
  archived?: boolean;
}

export class CreateProject {
  @Text({
    about:
      'Its id: lower-case letters, digits and hyphens, a letter or digit first. It stays taken once the project is deleted.',
    max: 63,
    pattern: SLUG,
    example: 'lighthouse',
  })
  id!: string;

  @Text({
    about: 'The passport that acts for the project where nobody else is named.',
    max: 128,
    pattern: PASSPORT,
    example: 'codex:7',
  })
  default_passport_id!: string;

  @Text({ about: 'What it is called; its id when absent.', optional: true, min: 1, max: MAX_NAME })
  name?: string;

  @Text({ about: 'What it is planned towards.', optional: true, nullable: true, min: 1, max: MAX_PLANNING_TARGET })
  planning_target?: string | null;

  @TextList({
    about: 'The tenants that it works in. Each becomes a tenant link; a link gives nobody access.',
    default: [],
    max: 120,
    maxItems: MAX_TENANTS,
  })
  working_tenants!: string[];
}

export class ChangeProject {
  @Text({ about: 'Another name.', optional: true, min: 1, max: MAX_NAME })
  name?: string;

  @Text({
    about: 'What it is planned towards; null for nothing.',
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_PLANNING_TARGET,
  })
  planning_target?: string | null;

  @Text({ about: 'Another default passport.', optional: true, max: 128, pattern: PASSPORT })
  default_passport_id?: string;

  @Flag({
    about: 'An archived project can be read, and nothing of it is changed until it is brought back.',
    optional: true,
  })
  archived?: boolean;

  @Flag({
    about:
      'Whether its layers are those of the whole workspace. One project of a tenant is the default; the one before is none any more.',
    optional: true,
  })
  is_default?: boolean;

  @Integer({
    about: 'The version that the change is meant for: 409 when there is a later one.',
    optional: true,
    min: 1,
    max: 2 ** 31 - 1,
  })
  base_version?: number;
}

/** What a list shows of one (memory-daemon.md 2.4). */
export class ProjectSummary {
  @Text({ about: 'The project.' })
  id!: string;

  @Text({ about: 'What it is called.' })
  name!: string;

  @Text({ about: 'The passport that acts for it where nobody else is named.' })
  default_passport_id!: string;

  @Text({ about: 'What it is planned towards; null: nothing.', nullable: true })
  planning_target!: string | null;

  @TextList({ about: 'The tenants that it is linked to, by name.' })
  working_tenants!: string[];

  @Flag({ about: 'Whether it is archived.' })
  archived!: boolean;

  @Flag({ about: "Whether its layers are the workspace's." })
  is_default!: boolean;

  @Text({ about: 'The tenant that it belongs to.' })
  tenant_id!: string;

  @Integer({ about: 'Counts its changes from 1, those of its links too.', min: 1 })
  version!: number;

  @Text({ about: 'The principal that created it.' })
  created_by!: string;

  @DateTime({ about: 'When it was created.' })
  created_at!: string;

  @DateTime({ about: 'When it, or one of its links, changed last.' })
  updated_at!: string;
}

export class Project extends ProjectSummary {
  @ListOf({ about: 'The passports that take part, by name.', type: () => ProjectMember })
  passports!: ProjectMember[];

  @ListOf({ about: 'The tenants that it works in, by name.', type: () => TenantLink })
  tenants!: TenantLink[];

  @ListOf({ about: 'Its repositories, by name.', type: () => RepoLink })
  repos!: RepoLink[];
}

export class ProjectList {
  @ListOf({ about: 'The projects, by id.', type: () => ProjectSummary })
  projects!: ProjectSummary[];

  @PageCount()
  count!: number;

  @Flag({ about: 'Whether there is another page.' })
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class ProjectDeleted {
  @Text({ about: 'The project.' })
  id!: string;

  @Flag({ about: 'It is hidden from now on. Its facts, layers and receipts stay, and its id stays taken.' })
  deleted!: boolean;

  @Integer({ about: 'Members, tenant links and repo links that went with it, those of its planes too.', min: 0 })
  removed_links!: number;

  @Integer({ about: 'Planes that went with it.', min: 0 })
  removed_planes!: number;
}
