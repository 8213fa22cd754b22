import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { ExportsService } from '../../evidence/exports/exports.service.js';
import type { Evidence, Presentation, SentExport } from '../../evidence/exports/exports.types.js';
import { SubjectsService } from '../../evidence/exports/subjects.service.js';
import type { IncidentRow } from './incident.entity.js';
import { IncidentsService } from './incidents.service.js';
import { caseOf } from './incidents.views.js';
import { IncidentTimelineStore } from './timeline/incident-timeline.store.js';

/** Receipts of the window, and names of entities whose facts are exported, in one file. */
const MAX_RECEIPTS = 300;
const MAX_ENTITIES = 20;

/** Exports of incidents: the existing format, of the action that the incident is (docs/formats/export.md). */
@Injectable()
export class IncidentExportsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly incidents: IncidentsService,
    private readonly timelines: IncidentTimelineStore,
    private readonly subjects: SubjectsService,
    private readonly exports: ExportsService,
  ) {}

  /** @throws IncidentUnknown; ExportTooLarge, EvidenceDamaged, ReceiptNotLogged, and ValidationFailed of the query */
  async make(caller: DaemonCaller, id: string, presentation: Presentation): Promise<SentExport> {
    const tenantId = await this.tenants.enter(caller);
    const gather = async () => this.gather(caller, await this.incidents.find(id));
    const request = { tenantId, subject: 'action', mode: 'audit', gather } as const;
    return this.exports.make(caller, request, presentation);
  }

  /** Its own receipts and events, the receipts of its window, and the facts of entities that begin as it names them. */
  private async gather(caller: DaemonCaller, row: IncidentRow): Promise<Evidence> {
    const reader = { seesAll: caller.isAdmin, principal: caller.principal };
    const wanted = { sources: ['receipt'], after: undefined, limit: MAX_RECEIPTS + 1 } as const;
    const receipts = await this.timelines.read(row, reader, wanted);
    const entities = row.entities.slice(0, MAX_ENTITIES);
    return this.subjects.gatherCase(caller, {
      id: row.incidentId,
      receiptIds: receipts.slice(0, MAX_RECEIPTS).map((one) => one.id),
      entities,
      about: {
        case: { ...caseOf(row), window: { ...caseOf(row).window }, note_log: row.notes.map((note) => ({ ...note })) },
      },
      complete: receipts.length <= MAX_RECEIPTS && entities.length === row.entities.length,
    });
  }
}
