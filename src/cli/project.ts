import { Command } from 'commander';
import { print, type OutputOptions } from './output.js';
import { readPassportId } from './passport-id.js';

interface ImportOptions extends OutputOptions {
  tenant: string;
  passport: string;
  dryRun?: true;
}

/** `svc project`: projects from the catalogs that others keep (docs/projects.md). */
export const projectCommand = (): Command =>
  new Command('project').description('import projects and their repositories').addCommand(importProjects());

const importProjects = () =>
  new Command('import')
    .description('import a catalog-info.yaml of Backstage: systems are projects, components their repositories')
    .argument('<file>', 'the file to read')
    .requiredOption('--tenant <tenant>', 'into which tenant')
    .requiredOption('--passport <passport>', 'the default passport of projects that are new', readPassportId)
    .option('--dry-run', 'do everything but keep nothing')
    .option('--json', 'print one JSON object')
    .action(async (file: string, options: ImportOptions) => {
      const { importCatalog } = await import('./project/catalog-import.js');
      const { tenant, passport: by, dryRun } = options;
      const done = await importCatalog(file, { tenant, passport: by, isRehearsal: dryRun === true });
      print(options, { ...done }, () => [
        `${dryRun ? 'Would be imported' : 'Imported'}: ${done.created.length} projects created, ${done.existing.length} there before, ${done.linked.length} repositories linked`,
        ...done.created.map((id) => `+ ${id}`),
        ...done.linked.map((link) => `+ ${link}`),
        ...done.notes,
      ]);
    });
