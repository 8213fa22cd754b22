import { Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../../common/evidence-log/audit-trail.js';
import { invalid } from '../../../../common/problem/common-problems.js';
import { lockToCopy } from '../../../../common/tenancy/copied-texts.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../../guards/tenant-resolver.js';
import { incidentEntry } from '../incidents.events.js';
import { IncidentsService } from '../incidents.service.js';
import type { BlastRadiusReply, WalkRequest } from './blast-radius.dto.js';
import { BlastRadiusRow } from './blast-radius.entity.js';
import { NothingSetAside, RadiusRootUnknown } from './blast-radius.problems.js';
import { countKinds, rootNamesOf } from './blast-radius.rules.js';
import type { RootKind, WalkedNode } from './blast-radius.types.js';
import { rootOf, stateRootOf } from './blast-radius.views.js';
import { QuarantinesService } from './quarantines.service.js';
import { RadiusReadsService } from './radius-reads.service.js';
import { RadiusStore } from './radius.store.js';
import { RadiusWalkService } from './radius-walk.service.js';

/** Walks to what rests on something, sets it aside and brings it back: each call is one transaction (D54). */
@Injectable()
export class BlastRadiusService {
  private readonly rows: TenantRepository<BlastRadiusRow>;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly incidents: IncidentsService,
    private readonly walks: RadiusWalkService,
    private readonly store: RadiusStore,
    private readonly quarantines: QuarantinesService,
    private readonly reads: RadiusReadsService,
    private readonly audit: AuditTrail,
    private readonly tenancy: Tenancy,
  ) {
    this.rows = new TenantRepository(tenancy, BlastRadiusRow);
  }

  /**
   * @throws ValidationFailed for members that do not go together; IncidentUnknown, IncidentClosed, RadiusRootUnknown,
   * RadiusTooLarge; RadiusUnknown, NothingSetAside of an undo
   */
  run(caller: DaemonCaller, incidentId: string, request: WalkRequest): Promise<BlastRadiusReply> {
    const { kind, id, apply, undo, radius_id: radiusId } = request;
    if (undo) {
      if (apply) throw invalid('body.undo', 'goes without body.apply; send one of them');
      if (kind !== undefined || id !== undefined)
        throw invalid('body.undo', 'goes with body.radius_id alone; leave body.kind and body.id out');
      return this.undo(caller, incidentId, radiusId);
    }
    if (radiusId !== undefined)
      throw invalid('body.radius_id', 'goes with body.undo: true; a walk begins at body.kind and body.id');
    if (kind === undefined) throw invalid('body.kind', 'is needed: what the walk begins at');
    if (id === undefined) throw invalid('body.id', `is needed: which ${kind} the walk begins at`);
    return this.walk(caller, incidentId, { kind, id, apply });
  }

  private walk(caller: DaemonCaller, incidentId: string, { kind, id, apply }: WantedWalk): Promise<BlastRadiusReply> {
    return this.tenants.write(caller, undefined, async () => {
      await lockToCopy(this.tenancy);
      await (apply ? this.incidents.findOpen(incidentId) : this.incidents.find(incidentId));
      if (apply) await this.store.lockQuarantines();
      const roots = await this.store.findRoots(kind, rootNamesOf(kind, id));
      if (roots.length === 0) throw unknownRoot(kind, id);
      const { nodes, edges } = await this.walks.walk(kind, roots);
      const radiusId = uuid();
      const row = await this.rows.insert({
        ...{
          radiusId,
          incidentId,
          rootKind: kind,
          rootKey: kind === 'answer' ? [id] : roots[0]!,
          walkedBy: caller.principal,
        },
        ...{ nodeCount: nodes.length, edgeCount: edges.length, counts: countKinds(nodes) },
        stateRoot: await this.store.readStateRoot(),
      });
      const parts = apply ? await this.partsOf(kind, roots[0]!) : [];
      await this.store.record(radiusId, { nodes: [...nodes, ...parts], edges });
      await this.audit.record(caller, incidentEntry('radius_walked', incidentId, said(row)));
      return this.reads.show(apply ? await this.apply(caller, row) : row);
    });
  }

  /** A passage is not set aside alone: its document is. */
  private async partsOf(kind: RootKind, root: string[]): Promise<WalkedNode[]> {
    if (kind !== 'passage') return [];
    const [id] = root;
    const key = await this.store.findDocumentOf(id!);
    if (!key) throw unknownRoot(kind, id!);
    return [{ kind: 'document', key, depth: null, viaEdge: 'part_of', viaPosition: 0 }];
  }

  private async apply(caller: DaemonCaller, walk: BlastRadiusRow): Promise<BlastRadiusRow> {
    const { radiusId, incidentId } = walk;
    const { setAside, records, receipts } = await this.quarantines.setAside(caller, walk);
    const after = await this.store.readStateRoot();
    const row = await this.rows.updateOne(
      { radiusId },
      { stateRootAfter: after, appliedAt: () => 'now()', appliedBy: caller.principal },
    );
    const facts = { ...said(row), setAside, records, stateRootAfter: stateRootOf(after) };
    await this.audit.record(caller, { ...incidentEntry('quarantined', incidentId, facts), receipt: { receipts } });
    return row;
  }

  private undo(caller: DaemonCaller, incidentId: string, radiusId: string | undefined): Promise<BlastRadiusReply> {
    return this.tenants.write(caller, undefined, async () => {
      await this.incidents.find(incidentId, 'no key update');
      await this.store.lockQuarantines();
      const { appliedAt, undoneAt, ...found } = await this.reads.find(incidentId, radiusId, true);
      if (appliedAt === null || undoneAt !== null)
        throw new NothingSetAside({ radius_id: found.radiusId }, 'It was never applied, or it is undone already');
      const { back, kept, receipts } = await this.quarantines.bringBack(caller, found);
      const row = await this.rows.updateOne(
        { radiusId: found.radiusId },
        { undoneAt: () => 'now()', undoneBy: caller.principal },
      );
      const facts = { ...said(row), back, kept, stateRootNow: stateRootOf(await this.store.readStateRoot()) };
      await this.audit.record(caller, {
        ...incidentEntry('quarantine_undone', incidentId, facts),
        receipt: { receipts },
      });
      return this.reads.show(row);
    });
  }
}

interface WantedWalk {
  kind: RootKind;
  id: string;
  apply: boolean;
}

const said = (row: BlastRadiusRow): object => ({
  radiusId: row.radiusId,
  root: rootOf(row),
  nodeCount: row.nodeCount,
  edgeCount: row.edgeCount,
  counts: row.counts,
  stateRoot: stateRootOf(row.stateRoot),
});

const unknownRoot = (kind: RootKind, id: string): RadiusRootUnknown =>
  new RadiusRootUnknown(
    { kind, id },
    `No ${kind} of this tenant has this id; the member id says how each kind is named`,
  );
