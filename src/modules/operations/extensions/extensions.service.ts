import { Inject, Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { ToolDispatcher } from '../../../common/contract/tool-dispatcher.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { type RowLock, TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { sha256 } from '../../../evidence/sha256.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { ExtensionRow } from './extension.entity.js';
import type {
  ChangedExtension,
  DeletedExtension,
  EnableExtension,
  ExtensionList,
  ExtensionQuery,
  ExtensionReply,
  RegisterExtension,
} from './extensions.dto.js';
import { extensionChange } from './extensions.events.js';
import { ExtensionDigestMismatch, ExtensionKnown, ExtensionUnknown, TooManyExtensions } from './extensions.problems.js';
import { MAX_EXTENSIONS } from './extensions.types.js';
import { extensionOf } from './extensions.views.js';
import { findModuleFault } from './wasm-module.rules.js';

type Draft = Pick<ExtensionRow, 'kind' | 'digest' | 'moduleBytes' | 'module' | 'tool' | 'arguments'>;

/** Extensions of a tenant: registered by their digest, and called only once somebody has enabled just that digest. */
@Injectable()
export class ExtensionsService {
  private readonly rows: TenantRepository<ExtensionRow>;
  private readonly memoryBytes: number;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
    private readonly tools: ToolDispatcher,
    @Inject(SETTINGS) { extensions }: Settings,
  ) {
    this.rows = new TenantRepository(tenancy, ExtensionRow);
    this.memoryBytes = extensions.memoryMib * 1024 * 1024;
  }

  /** @throws ValidationFailed, ExtensionKnown, TooManyExtensions */
  register(caller: DaemonCaller, request: RegisterExtension): Promise<ChangedExtension> {
    const { extension_id: extensionId, display_name: displayName = extensionId, description = null } = request;
    const draft = request.kind === 'wasm' ? this.moduleOf(request) : this.toolOf(request);
    return this.tenants.write(caller, undefined, async () => {
      await this.tenancy.lock('extensions');
      const known = await this.rows.find({ extensionId });
      if (known)
        throw new ExtensionKnown(
          { extension_id: extensionId, digest: known.digest },
          'What was registered stays as it is; DELETE it first, or choose another id',
        );
      if ((await this.rows.count({})) >= MAX_EXTENSIONS)
        throw new TooManyExtensions({ limit: MAX_EXTENSIONS }, 'DELETE one that is not needed');
      const registeredBy = caller.principal;
      const row = await this.rows.insert({ extensionId, displayName, description, ...(draft as object), registeredBy });
      const { receiptId } = await this.audit.record(caller, extensionChange('registered', row));
      return { extension: extensionOf(row), receipt_id: receiptId };
    });
  }

  list(caller: DaemonCaller, { kind, limit, cursor }: ExtensionQuery): Promise<ExtensionList> {
    const after = decodeCursor(cursor, ['text']);
    return this.tenants.run(caller, undefined, async () => {
      const rows = await this.rows.list({ kind }, { order: { extensionId: 'asc' }, after, take: limit + 1 });
      const { page, has_more, next_cursor } = takePage(rows, limit, ({ extensionId }) => [extensionId]);
      return {
        extensions: page.map(extensionOf),
        count: page.length,
        has_more,
        next_cursor,
      };
    });
  }

  /** @throws ExtensionUnknown */
  read(caller: DaemonCaller, extensionId: string): Promise<ExtensionReply> {
    return this.tenants.run(caller, undefined, async () => ({ extension: extensionOf(await this.rowOf(extensionId)) }));
  }

  /** @throws ExtensionUnknown, ExtensionDigestMismatch */
  enable(caller: DaemonCaller, extensionId: string, { digest }: EnableExtension): Promise<ChangedExtension> {
    return this.tenants.write(caller, undefined, async () => {
      const row = await this.rowOf(extensionId, 'no key update');
      checkDigest(row, digest);
      if (row.enabledAt) return { extension: extensionOf(row), receipt_id: null };
      return this.change(caller, extensionId, 'enabled');
    });
  }

  /** Calls that run already end as they do. @throws ExtensionUnknown */
  disable(caller: DaemonCaller, extensionId: string): Promise<ChangedExtension> {
    return this.tenants.write(caller, undefined, async () => {
      const row = await this.rowOf(extensionId, 'no key update');
      if (!row.enabledAt) return { extension: extensionOf(row), receipt_id: null };
      return this.change(caller, extensionId, 'disabled');
    });
  }

  /** Its receipts stay. @throws ExtensionUnknown */
  delete(caller: DaemonCaller, extensionId: string): Promise<DeletedExtension> {
    return this.tenants.write(caller, undefined, async () => {
      const row = await this.rowOf(extensionId, 'update');
      await this.rows.delete({ extensionId });
      const { receiptId } = await this.audit.record(caller, extensionChange('deleted', row));
      return { deleted: true, receipt_id: receiptId };
    });
  }

  /** In the open unit of work. @throws ExtensionUnknown */
  async rowOf(extensionId: string, lock?: RowLock): Promise<ExtensionRow> {
    const row = await this.rows.find({ extensionId }, lock);
    if (row) return row;
    throw new ExtensionUnknown({ extension_id: extensionId }, 'GET /v1/extensions lists those there are');
  }

  /** The same, of the bytes of its module. */
  async moduleIn(extensionId: string): Promise<Buffer> {
    const [row] = await this.rows.select('row', { extensionId }).select('row.module', 'module').getRawMany<{
      module: Buffer;
    }>();
    return row!.module;
  }

  private async change(
    caller: DaemonCaller,
    extensionId: string,
    what: 'enabled' | 'disabled',
  ): Promise<ChangedExtension> {
    const enabledAt = what === 'enabled' ? () => 'clock_timestamp()' : null;
    const row = await this.rows.updateOne({ extensionId }, { enabledAt, changedBy: caller.principal });
    const { receiptId } = await this.audit.record(caller, extensionChange(what, row));
    return { extension: extensionOf(row), receipt_id: receiptId };
  }

  /** @throws ValidationFailed */
  private moduleOf({ module_base64, digest, tool, arguments: args }: RegisterExtension): Draft {
    if (module_base64 === undefined) throw invalid('body.module_base64', 'is needed of the kind wasm');
    if (tool !== undefined || args !== undefined)
      throw invalid(tool === undefined ? 'body.arguments' : 'body.tool', 'is of the kind tool; leave it out');
    const module = Buffer.from(module_base64, 'base64');
    const own = sha256(module).toString('hex');
    if (digest !== undefined && digest !== own)
      throw invalid('body.digest', `is not that of the module, which is ${own}; send the module again`);
    const fault = findModuleFault(module, this.memoryBytes);
    if (fault !== undefined) throw invalid('body.module_base64', `${fault} (docs/extensions.md)`);
    return { kind: 'wasm', digest: own, module, moduleBytes: module.length, tool: null, arguments: null };
  }

  /** @throws ValidationFailed */
  private toolOf({ module_base64, digest, tool, arguments: args = {} }: RegisterExtension): Draft {
    if (module_base64 !== undefined) throw invalid('body.module_base64', 'is of the kind wasm; leave it out');
    if (tool === undefined) throw invalid('body.tool', 'is needed of the kind tool');
    if (!this.tools.list().some(({ name }) => name === tool))
      throw invalid('body.tool', 'names no tool of this server; tools/list of its MCP listener has them');
    const own = sha256(canonicalJson({ arguments: args, tool })).toString('hex');
    if (digest !== undefined && digest !== own) throw invalid('body.digest', `is not that of this, which is ${own}`);
    return { kind: 'tool', digest: own, module: null, moduleBytes: null, tool, arguments: args };
  }
}

/** @throws ExtensionDigestMismatch */
export function checkDigest({ extensionId, digest }: ExtensionRow, wanted: string | undefined): void {
  if (wanted === undefined || wanted === digest) return;
  throw new ExtensionDigestMismatch(
    { extension_id: extensionId, digest },
    `What is registered has the digest ${digest}; look at that, and send its digest`,
  );
}
