import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { FoundFile, FoundSymbol } from './workspace-scan.types.js';

/** So that no statement takes long. */
const REMOVED_AT_ONCE = 20_000;

/** A file with what was read of it. */
export interface ScannedFile extends FoundFile {
  /** Undefined where symbols are not read. */
  language: string | undefined;
  symbols: readonly FoundSymbol[];
}

/** The files and symbols of scans, of the open unit of work's tenant: written by the hundred. */
@Injectable()
export class ScannedFilesStore {
  constructor(private readonly tenancy: Tenancy) {}

  async insert(scanId: string, files: readonly ScannedFile[]): Promise<void> {
    await this.tenancy.query(
      `insert into workspace_file (tenant_id, scan_id, path, bytes, language, symbols)
       select $1, $2, f.* from unnest($3::text[], $4::bigint[], $5::text[], $6::integer[]) f`,
      [
        this.tenancy.tenant,
        scanId,
        files.map(({ path }) => path),
        files.map(({ bytes }) => bytes),
        files.map(({ language }) => language ?? null),
        files.map(({ symbols }) => symbols.length),
      ],
    );
    const symbols = files.flatMap(({ path, symbols }) =>
      symbols.map((one, index) => ({ ...one, path, ordinal: index + 1 })),
    );
    if (symbols.length === 0) return;
    await this.tenancy.query(
      `insert into workspace_symbol (tenant_id, scan_id, path, ordinal, name, kind, line)
       select $1, $2, s.* from unnest($3::text[], $4::integer[], $5::text[], $6::text[], $7::integer[]) s`,
      [
        this.tenancy.tenant,
        scanId,
        symbols.map(({ path }) => path),
        symbols.map(({ ordinal }) => ordinal),
        symbols.map(({ name }) => name),
        symbols.map(({ kind }) => kind),
        symbols.map(({ line }) => line),
      ],
    );
  }

  /** Some of those of one scan. @returns whether there may be more */
  removeSome(scanId: string): Promise<boolean> {
    return this.removeWhere('scan_id = $2', scanId);
  }

  /** Some of those of all scans before one. @returns whether there may be more */
  removeSomeBefore(scanId: string): Promise<boolean> {
    return this.removeWhere('scan_id < $2', scanId);
  }

  private async removeWhere(condition: string, scanId: string): Promise<boolean> {
    for (const table of ['workspace_symbol', 'workspace_file']) {
      const removed = await this.tenancy.query<object>(
        `delete from ${table} where tenant_id = $1 and ctid = any(array(
           select ctid from ${table} where tenant_id = $1 and ${condition} limit ${REMOVED_AT_ONCE})) returning 1`,
        [this.tenancy.tenant, scanId],
      );
      if (removed.length > 0) return true;
    }
    return false;
  }
}
