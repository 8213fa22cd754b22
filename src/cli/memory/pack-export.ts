import type { FileHandle } from 'node:fs/promises';
import { OPERATOR } from '../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../common/tenancy/tenancy.js';
import { PackExportsService } from '../../modules/memory/packs/pack-exports.service.js';
import { type MemoryPack, PACK_LISTS } from '../../modules/memory/packs/packs.types.js';
import { asOperator } from '../operator.js';
import { UsageError } from '../output.js';
import { writeWhole, checkIsFree } from '../whole-file.js';
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
  if (file !== undefined) checkIsFree(file);
  return asOperator(async (services) => {
    await checkTenant(services, tenant);
    const make = () => services.get(PackExportsService).make(OPERATOR);
    const { pack, hash, receiptId } = await services.get(Tenancy).run(tenant, make);
    if (file === undefined) await print(pack);
    else await writeWhole(file, (made) => save(made, pack));
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

async function save(made: FileHandle, pack: MemoryPack): Promise<void> {
  for (const part of grouped(linesOf(pack))) await made.writeFile(part);
  await made.sync();
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
