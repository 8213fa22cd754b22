import { Command, InvalidArgumentError } from 'commander';
import { PASSPORT } from '../common/fields/passport.js';
import { print, type OutputOptions } from './output.js';

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
    .requiredOption('--passport <passport>', 'the default passport of projects that are new', passport)
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

function passport(text: string): string {
  if (PASSPORT.test(text)) return text;
  throw new InvalidArgumentError('It is 1 to 128 letters, digits, dots, underscores, colons or hyphens.');
}
