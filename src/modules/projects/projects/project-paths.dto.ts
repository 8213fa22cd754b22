import { Text } from '../../../common/fields/fields.js';
import { PASSPORT } from '../../../common/fields/passport.js';
import { REPO_NAME, REPO_OWNER, SLUG } from './projects.types.js';

const Slug = (about: string, example: string) => Text({ about, max: 63, pattern: SLUG, example });
const Passport = () => Text({ about: 'The passport.', max: 128, pattern: PASSPORT, example: 'codex:7' });
const LinkedTenant = () => Text({ about: 'The tenant that is linked.', min: 1, max: 120, example: 'default' });

export class ProjectPath {
  @Slug('The project.', 'lighthouse')
  id!: string;
}

export class ProjectMemberPath extends ProjectPath {
  @Passport()
  passportId!: string;
}

export class ProjectTenantPath extends ProjectPath {
  @LinkedTenant()
  tenantId!: string;
}

export class ProjectRepoPath extends ProjectPath {
  @Text({ about: 'Whose repository it is.', max: 100, pattern: REPO_OWNER, example: 'acme' })
  owner!: string;

  @Text({ about: 'The repository.', max: 100, pattern: REPO_NAME, example: 'lighthouse' })
  repo!: string;
}

export class PlanePath extends ProjectPath {
  @Slug('The plane.', 'backend')
  planeId!: string;
}

export class PlaneMemberPath extends PlanePath {
  @Passport()
  passportId!: string;
}

export class PlaneTenantPath extends PlanePath {
  @LinkedTenant()
  tenantId!: string;
}
