import { Injectable } from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { PackExportsService } from './pack-exports.service.js';
import { PackImportsService, type ReadPack } from './pack-imports.service.js';
import type { ExportPackReply, ExportPackRequest, ImportPackReply, ImportPackRequest } from './packs.dto.js';
import { rehearse } from './rehearsal.js';

/** An import and a single write may take the same rows in another order; the database then ends one of them. */
const DEADLOCK = '40P01';
const ATTEMPTS = 4;
/** What POST /v1/memory/import takes, and so what is worth answering. */
const MAX_PACK_BYTES = 64 * 1024 * 1024 - 4096;

/** Packs by way of the daemon: in the tenant that the request names, as the caller may. */
@Injectable()
export class PacksService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly imports: PackImportsService,
    private readonly exports: PackExportsService,
  ) {}

  /**
   * @param deadline when it aborts before the import is done, nothing of it remains
   * @throws ValidationFailed, PackNotVerified, PrincipalNotYours
   */
  async import(caller: DaemonCaller, request: ImportPackRequest, deadline: AbortSignal): Promise<ImportPackReply> {
    this.tenants.check(caller, request.tenant_id);
    const { pack, principal_map: principalMap = {}, dry_run } = request;
    const read = await this.imports.read(caller, { pack, principalMap });
    for (let attempt = 1; ; attempt += 1) {
      try {
        return { ...(await this.take(caller, request, read, deadline)), dry_run };
      } catch (error) {
        if (!isDeadlock(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** @throws PackTooLarge */
  async export(caller: DaemonCaller, { tenant_id }: ExportPackRequest): Promise<ExportPackReply> {
    await this.tenants.enter(caller, tenant_id);
    const { pack, hash, receiptId } = await this.tenants.write(caller, tenant_id, () =>
      this.exports.make(caller, MAX_PACK_BYTES),
    );
    return { pack: { ...pack }, pack_hash: hash, created_at: pack.created_at, receipt_id: receiptId };
  }

  private take(caller: DaemonCaller, { tenant_id, dry_run }: ImportPackRequest, read: ReadPack, deadline: AbortSignal) {
    const store = () => this.imports.store(caller, read, deadline);
    return rehearse(dry_run, (work) => this.tenants.write(caller, tenant_id, work), store);
  }
}

const isDeadlock = (error: unknown): boolean =>
  error instanceof QueryFailedError && (error.driverError as { code?: string }).code === DEADLOCK;
