import { Command, InvalidArgumentError, Option } from 'commander';
import { screenCommand } from './memory/screen.js';
import { DUMP_FORMATS, type DumpFormat } from './memory/dump-formats.js';
import { print, type OutputOptions } from './output.js';

interface ImportOptions extends OutputOptions {
  tenant: string;
  from: DumpFormat;
  dryRun?: true;
  map?: Record<string, string>;
}

interface ExportOptions extends OutputOptions {
  tenant: string;
  out?: string;
}

/** `svc memory`: memory as packs, to and from files (docs/memory-packs.md). */
export const memoryCommand = (): Command =>
  new Command('memory')
    .description('export the memory of a tenant to a pack, import packs and dumps of other products, look for secrets')
    .addCommand(exportMemory())
    .addCommand(importMemory())
    .addCommand(screenCommand())
    .addHelpText('after', '\nWhat a pack is, and what is taken of which dump: docs/memory-packs.md.');

const exportMemory = () =>
  new Command('export')
    .description('write a signed pack of everything that a tenant remembers')
    .requiredOption('--tenant <tenant>', 'whose memory')
    .option('--out <file>', 'the file to make; without, the pack is on standard output')
    .option('--json', 'print one JSON object; needs --out')
    .action(async (options: ExportOptions) => {
      const { writePack } = await import('./memory/pack-export.js');
      const written = await writePack(options.tenant, options.out, options.json === true);
      if (options.out === undefined) return;
      print(options, { ...written, file: options.out }, () => [
        `Wrote ${options.out}: ${Object.entries(written.counts)
          .map(([list, count]) => `${count} ${list}`)
          .join(', ')}`,
        `Pack ${written.pack_hash}`,
      ]);
    });

const importMemory = () =>
  new Command('import')
    .description('import a pack, or a dump of another product, into a tenant: all of it or nothing')
    .argument('<file>', 'the file to read')
    .requiredOption('--tenant <tenant>', 'into which tenant')
    .addOption(new Option('--from <format>', 'what the file is').choices(DUMP_FORMATS).default('pack'))
    .option('--dry-run', 'do everything but keep nothing: the counts are exact')
    .option('--map <old=new>', 'a principal of the pack and who it is here; again for more', collect)
    .option('--json', 'print one JSON object')
    .action(async (file: string, options: ImportOptions) => {
      const { importFile } = await import('./memory/pack-import.js');
      const done = await importFile(file, {
        ...{ tenant: options.tenant, format: options.from, isRehearsal: options.dryRun === true },
        principalMap: options.map ?? {},
      });
      print(options, done, () => [
        `${options.dryRun ? 'Would be imported' : 'Imported'}: ${done.added} added, ${done.superseded} superseded, ${done.skipped} skipped`,
        ...done.notes,
      ]);
    });

function collect(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, from, to] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (from === undefined || to === undefined) throw new InvalidArgumentError('Say it as old=new.');
  return { ...before, [from]: to };
}
