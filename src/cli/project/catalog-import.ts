import { readFileSync } from 'node:fs';
import { OPERATOR } from '../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../common/tenancy/tenancy.js';
import { rehearse } from '../../modules/memory/packs/rehearsal.js';
import { ProjectWritesService } from '../../modules/projects/projects/project-writes.service.js';
import { checkTenant } from '../memory/tenant-there.js';
import { asOperator } from '../operator.js';
import { UserError } from '../output.js';
import { readCatalog, type Catalog, type CatalogProject } from './catalog-info.js';

export interface CatalogImport {
  tenant: string;
  /** The default passport of new projects. */
  passport: string;
  isRehearsal: boolean;
}

export interface ImportedCatalog {
  created: string[];
  /** Projects that were there: nothing of theirs is changed but that repositories are linked. */
  existing: string[];
  linked: string[];
  notes: string[];
  dry_run: boolean;
}

/** All of it or nothing. @throws UserError for a file that is no catalog, and for a project that takes nothing */
export function importCatalog(
  file: string,
  { tenant, passport, isRehearsal }: CatalogImport,
): Promise<ImportedCatalog> {
  const { projects, notes } = catalogOf(file);
  return asOperator(async (services) => {
    await checkTenant(services, tenant);
    const writes = services.get(ProjectWritesService);
    const done: ImportedCatalog = { created: [], existing: [], linked: [], notes, dry_run: isRehearsal };
    await rehearse(
      isRehearsal,
      (work) => services.get(Tenancy).run(tenant, work),
      async () => {
        for (const project of projects) await importProject(writes, project, passport, done);
        return { receipt_id: null };
      },
    );
    return done;
  });
}

async function importProject(
  writes: ProjectWritesService,
  { id: projectId, name, repos }: CatalogProject,
  defaultPassportId: string,
  done: ImportedCatalog,
): Promise<void> {
  const known = await writes.find(projectId, 'no key update');
  if (known?.archived) throw new UserError(`The project ${projectId} is archived; bring it back first`);
  const made = { projectId, name, defaultPassportId, planningTarget: null, workingTenants: [] };
  if (!known) await writes.create(OPERATOR, made);
  (known ? done.existing : done.created).push(projectId);
  for (const { repo, role } of repos) {
    if (await writes.hasRepo(projectId, repo)) continue;
    await writes.linkRepo(OPERATOR, projectId, { repo, planeId: null, role });
    done.linked.push(`${projectId} ${repo}`);
  }
}

function catalogOf(file: string): Catalog {
  try {
    return readCatalog(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UserError(
      `${file} ${(error as NodeJS.ErrnoException).code ? 'cannot be read: ' : ''}${(error as Error).message}`,
    );
  }
}
