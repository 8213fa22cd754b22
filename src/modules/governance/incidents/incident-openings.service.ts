import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { IncidentRow } from './incident.entity.js';
import { incidentEntry } from './incidents.events.js';
import { noteOf, shownWindow } from './incidents.views.js';
import type { Severity, Window } from './incidents.types.js';

/** An incident to be opened. */
export interface NewIncident {
  readonly title: string;
  readonly severity: Severity;
  readonly window: Window;
  readonly sessionIds?: string[];
  readonly agentIds?: string[];
  readonly entities?: string[];
  readonly notes?: string | undefined;
}

/** Opens incidents, for callers and for parts of the server that notice something. */
@Injectable()
export class IncidentOpenings {
  private readonly rows: TenantRepository<IncidentRow>;

  constructor(
    private readonly audit: AuditTrail,
    tenancy: Tenancy,
  ) {
    this.rows = new TenantRepository(tenancy, IncidentRow);
  }

  /** In the open unit of work, with event and receipt. */
  async open(by: Actor, incident: NewIncident): Promise<IncidentRow> {
    const { title, severity, window, sessionIds = [], agentIds = [], entities = [], notes } = incident;
    const incidentId = uuid();
    const named = { sessionIds, agentIds, entities };
    const said = { title, severity, status: 'open', window: shownWindow(window), ...named };
    const { receiptId } = await this.audit.record(by, incidentEntry('opened', incidentId, said));
    return this.rows.insert({
      ...{ incidentId, title, severity, windowFrom: window.from, windowTo: window.to, ...named, receiptId },
      notes: notes ? [noteOf(by, notes)] : [],
      openedBy: by.principal,
    });
  }
}
