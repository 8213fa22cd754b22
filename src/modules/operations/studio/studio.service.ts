import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { GraphImportsService } from '../../memory/graph/graph-imports.service.js';
import { LayersService } from '../../projects/layers/layers.service.js';
import { StudioInstallRow } from './studio-install.entity.js';
import { StudioLibrary } from './studio-library.service.js';
import { actionOf, contentDigest, keyOf } from './studio-package.rules.js';
import type { InstallItem, InstallPackage, LibraryQuery, PackageInstalled, StudioLibraryReply } from './studio.dto.js';
import { installedEntry } from './studio.events.js';
import { InstallConflict, PackageChanged, PackageUnknown } from './studio.problems.js';
import type { StudioItem, StudioPackage } from './studio.types.js';
import { packageOf } from './studio.views.js';

/** An item with what is done with it. */
interface Planned extends InstallItem {
  content: unknown;
  digest: string;
}

const WRITTEN = ['create', 'update', 'replace'];

/** The packages of the library, and their installs in a tenant: all of a package, or nothing. */
@Injectable()
export class StudioService {
  private readonly installs: TenantRepository<StudioInstallRow>;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly library: StudioLibrary,
    private readonly graph: GraphImportsService,
    private readonly layers: LayersService,
    private readonly audit: AuditTrail,
  ) {
    this.installs = new TenantRepository(tenancy, StudioInstallRow);
  }

  async list(caller: DaemonCaller, { tenant_id }: LibraryQuery): Promise<StudioLibraryReply> {
    const { packages, faults } = await this.library.read();
    return this.tenants.run(caller, tenant_id, async () => {
      const rows = await this.installs.list({}, { order: { packageId: 'asc', projectId: 'asc' } });
      return {
        packages: packages.map((one) =>
          packageOf(
            one,
            rows.filter(({ packageId }) => packageId === one.id),
          ),
        ),
        ...{ count: packages.length, warnings: faults, schema: 'svc.studio-library/1' },
      };
    });
  }

  /**
   * The same digest again changes nothing.
   * @throws PackageUnknown, PackageChanged, InstallConflict; ValidationFailed for a project that is missing or not
   * needed; ProjectUnknown, ProjectArchived, LayersFull
   */
  async install(caller: DaemonCaller, id: string, request: InstallPackage): Promise<PackageInstalled> {
    const { tenant_id, dry_run: isDry } = request;
    const found = await this.find(id, request.digest);
    const projectId = projectOf(found, request.project_id);
    const items = await this.prepare(found);
    const work = () => this.apply(caller, { ...found, items }, projectId, request);
    return isDry ? this.tenants.run(caller, tenant_id, work) : this.tenants.write(caller, tenant_id, work);
  }

  private async find(id: string, digest: string | undefined): Promise<StudioPackage> {
    const found = (await this.library.read()).packages.find((one) => one.id === id);
    if (!found) throw new PackageUnknown({ package_id: id }, 'GET /v1/studio/library lists those there are');
    if (digest === undefined || digest === found.digest) return found;
    throw new PackageChanged({ package_id: id, digest: found.digest }, 'Look at what it is now, and name that digest');
  }

  /** As the rules of their kinds store them: secrets in engrams are masked. */
  private async prepare({ items }: StudioPackage): Promise<StudioItem[]> {
    const entities = items.filter(({ type }) => type !== 'layer');
    const given = entities.map(({ type, name, content }) => ({ kind: type, id: name, payload: content }));
    const prepared = await this.graph.readEntities(given, 'package.entities');
    const stored = entities.map((item, place) => ({ ...item, content: prepared[place]!.payload }));
    return [...stored, ...items.filter(({ type }) => type === 'layer')];
  }

  private async apply(
    caller: DaemonCaller,
    found: StudioPackage,
    projectId: string,
    { replace, dry_run: isDry }: InstallPackage,
  ): Promise<PackageInstalled> {
    if (!isDry) await this.tenancy.lock('studio install', found.id);
    if (projectId !== '') await this.layers.findPlace({ projectId });
    const rows = await this.installs.list({ packageId: found.id });
    const known = rows.find((row) => row.projectId === projectId);
    const isThere = known?.digest === found.digest && !replace;
    const plan = isThere ? found.items.map(untouched) : await this.plan(found, projectId, { rows, replace });
    const changed = !isThere && (known?.digest !== found.digest || plan.some(({ action }) => WRITTEN.includes(action)));
    const receiptId = changed && !isDry ? await this.store(caller, found, projectId, plan) : (known?.receiptId ?? null);
    return {
      ...{ package_id: found.id, version: found.version, digest: found.digest, dry_run: isDry, changed },
      ...{ project_id: projectId === '' ? null : projectId, items: plan.map(shown), receipt_id: receiptId },
    };
  }

  private async plan(
    { items }: StudioPackage,
    projectId: string,
    { rows, replace }: { rows: readonly StudioInstallRow[]; replace: boolean },
  ): Promise<Planned[]> {
    const current = await this.readCurrent(items, projectId);
    return items.map((item) => {
      const { type, name, content } = item;
      const digest = contentDigest(content);
      // Layers are of one project; entities are the same for all.
      const own = type === 'layer' ? rows.filter((row) => row.projectId === projectId) : rows;
      const written = new Set(own.flatMap((row) => row.items[keyOf(item)] ?? []));
      return { type, name, content, digest, action: actionOf(digest, current.get(keyOf(item)), { written, replace }) };
    });
  }

  /** By key, the digests of what the tenant has under the names of a package. Entities stay so until the end. */
  private async readCurrent(items: readonly StudioItem[], projectId: string): Promise<Map<string, string>> {
    const entities = items.filter(({ type }) => type !== 'layer');
    const payloads = await this.graph.lockPayloads(entities.map(({ type, name }) => ({ kind: type, id: name })));
    const texts = projectId === '' ? [] : await this.layers.readAll({ projectId });
    return new Map([
      ...entities.flatMap((item, place) => {
        const found = payloads[place];
        return found ? [[keyOf(item), contentDigest(found.payload)] as const] : [];
      }),
      ...texts.map(({ key, value }) => [keyOf({ type: 'layer', name: key }), contentDigest(value)] as const),
    ]);
  }

  private async store(
    caller: DaemonCaller,
    found: StudioPackage,
    projectId: string,
    plan: readonly Planned[],
  ): Promise<string> {
    const conflicts = plan.filter(({ action }) => action === 'conflict').map(({ type, name }) => ({ type, name }));
    if (conflicts.length > 0)
      throw new InstallConflict(
        { package_id: found.id, conflicts },
        'Rename or remove them, or send "replace": true to overwrite them; their versions stay in the history',
      );
    const changed = plan.filter(({ action }) => action !== 'unchanged');
    const entities = changed.filter(({ type }) => type !== 'layer');
    await this.graph.storeEntities(
      entities.map(({ type, name, content }) => ({ kind: type, id: name, payload: content })),
      caller.principal,
    );
    for (const { type, name, content } of changed)
      if (type === 'layer') await this.layers.store(caller, { projectId }, name, content as string, {});
    const { receiptId } = await this.audit.record(caller, installedEntry(found, projectId || null, plan.map(shown)));
    const { id: packageId, version, digest } = found;
    const items = Object.fromEntries(plan.map((item) => [keyOf(item), item.digest]));
    await this.installs.put(
      {
        ...{ packageId, projectId, version, digest, items, receiptId },
        ...{ installedBy: caller.principal, installedAt: () => 'now()' },
      },
      ['version', 'digest', 'items', 'receiptId', 'installedBy', 'installedAt'],
    );
    return receiptId;
  }
}

/** @returns empty for a package without layers @throws ValidationFailed */
function projectOf({ items }: StudioPackage, given: string | undefined): string {
  const hasLayers = items.some(({ type }) => type === 'layer');
  if (hasLayers && given === undefined)
    throw invalid('body.project_id', 'is needed: the package has layers, which are of a project');
  if (!hasLayers && given !== undefined)
    throw invalid('body.project_id', 'goes with layers alone, and the package has none; leave it out');
  return given ?? '';
}

const untouched = ({ type, name, content }: StudioItem): Planned => ({
  ...{ type, name, content, digest: '', action: 'unchanged' as const },
});

const shown = ({ type, name, action }: Planned): InstallItem => ({ type, name, action });
