import { readFileSync } from 'node:fs';
import { findFault, NESTED_JSON_DEPTH } from '../../common/http/json-body.js';
import { OPERATOR } from '../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../common/tenancy/tenancy.js';
import { PackImportsService } from '../../modules/memory/packs/pack-imports.service.js';
import { rehearse } from '../../modules/memory/packs/rehearsal.js';
import type { ImportedList } from '../../modules/memory/packs/packs.dto.js';
import { asOperator } from '../operator.js';
import { UserError } from '../output.js';
import { type DumpFormat, packOfFile } from './dump-formats.js';
import { checkTenant } from './tenant-there.js';

export interface ImportFrom {
  tenant: string;
  format: DumpFormat;
  isRehearsal: boolean;
  principalMap: Record<string, string>;
}

/** Nobody waits for it with a clock. */
const NEVER = new AbortController().signal;

/** @throws UserError for a file that is not there or of another format, and for what the import refuses */
export async function importFile(file: string, { tenant, format, isRehearsal, principalMap }: ImportFrom) {
  const { pack, notes } = packOfFile(readText(file), format);
  const fault = findFault(pack, 'pack', NESTED_JSON_DEPTH);
  if (fault) throw new UserError(`${fault.path}: ${fault.message}`);
  return asOperator(async (services) => {
    await checkTenant(services, tenant);
    const imports = services.get(PackImportsService);
    const by = { ...OPERATOR, isAdmin: true };
    const read = await imports.read(by, { pack, principalMap });
    const done = await rehearse(
      isRehearsal,
      (work) => services.get(Tenancy).run(tenant, work),
      () => imports.store(by, read, NEVER),
    );
    const lists = Object.values(done.lists) as ImportedList[];
    const sum = (name: keyof ImportedList): number => lists.reduce((total, counts) => total + counts[name], 0);
    const all = [...notes, ...notesOn(done)];
    const superseded = sum('superseded');
    return {
      added: sum('imported') - superseded,
      superseded,
      skipped: sum('skipped'),
      notes: all,
      ...done,
      dry_run: isRehearsal,
    };
  });
}

const notesOn = ({ signature, screened }: { signature: string; screened: number }): string[] => [
  ...(signature === 'verified' ? ['the signature holds'] : []),
  ...(screened > 0 ? [`${screened} secrets masked`] : []),
];

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${(error as Error).message}`);
  }
}
