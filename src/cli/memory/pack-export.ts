import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { OPERATOR } from '../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../common/tenancy/tenancy.js';
import { PackExportsService } from '../../modules/memory/packs/pack-exports.service.js';
import { type MemoryPack, PACK_LISTS } from '../../modules/memory/packs/packs.types.js';
import { asOperator } from '../operator.js';
import { UsageError, UserError } from '../output.js';
import { checkTenant } from './tenant-there.js';

export interface Written {
  tenant_id: string;
  pack_hash: string;
  receipt_id: string;
  counts: Record<string, number>;
}

/** Writes the pack of a tenant to a file that is not there yet, or to standard output. @throws UserError */
export async function writePack(tenant: string, file: string | undefined, json: boolean): Promise<Written> {
  if (json && file === undefined) throw new UsageError('--json needs --out: without it the pack is what is printed');
  if (file !== undefined && existsSync(file)) throw new UserError(`${file} exists; choose another name`);
  if (file !== undefined && !existsSync(dirname(file))) throw new UserError(`There is no folder ${dirname(file)}`);
  return asOperator(async (services) => {
    await checkTenant(services, tenant);
    const make = () => services.get(PackExportsService).make(OPERATOR);
    const { pack, hash, receiptId } = await services.get(Tenancy).run(tenant, make);
    if (file === undefined) await print(pack);
    else save(file, pack);
    const counts = Object.fromEntries(PACK_LISTS.map((list) => [list, pack[list].length]));
    return { tenant_id: tenant, pack_hash: hash, receipt_id: receiptId, counts };
  });
}

/** A member a line, and of lists an entry a line: the whole would be one text longer than a process can have. */
function* linesOf(pack: MemoryPack): Generator<string> {
  const members = Object.entries(pack).filter(([, value]) => value !== undefined);
  for (const [at, [name, value]] of members.entries()) {
    yield `${at === 0 ? '{' : ',\n'}${JSON.stringify(name)}:`;
    if (!Array.isArray(value)) yield JSON.stringify(value);
    else {
      for (const [place, item] of value.entries()) yield `${place === 0 ? '[\n' : ',\n'}${JSON.stringify(item)}`;
      yield value.length === 0 ? '[]' : ']';
    }
  }
  yield '}\n';
}

/** A file is there whole or not at all; it holds private content, for its owner alone. */
function save(file: string, pack: MemoryPack): void {
  const partial = `${file}.partial`;
  try {
    rmSync(partial, { force: true });
    for (const part of grouped(linesOf(pack))) writeFileSync(partial, part, { flag: 'a', mode: 0o600, flush: true });
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

async function print(pack: MemoryPack): Promise<void> {
  for (const part of grouped(linesOf(pack)))
    await new Promise<void>((resolve, reject) =>
      process.stdout.write(part, (error) => (error ? reject(error) : resolve())),
    );
}

const A_WRITE = 1024 * 1024;

function* grouped(parts: Iterable<string>): Generator<string> {
  let group = '';
  for (const part of parts) {
    group += part;
    if (group.length < A_WRITE) continue;
    yield group;
    group = '';
  }
  if (group !== '') yield group;
}
