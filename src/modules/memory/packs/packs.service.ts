import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { againAfterDeadlock } from '../../../common/database/deadlocks.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { PackExportsService } from './pack-exports.service.js';
import { PackImportsService, type ReadPack } from './pack-imports.service.js';
import type { ExportPackReply, ExportPackRequest, ImportPackReply, ImportPackRequest } from './packs.dto.js';
import { rehearse } from './rehearsal.js';

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
    return { ...(await againAfterDeadlock(() => this.take(caller, request, read, deadline))), dry_run };
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
