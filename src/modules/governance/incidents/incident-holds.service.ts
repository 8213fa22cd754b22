import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { IncidentStates } from '../legal-holds/incident-states.service.js';
import { LegalHoldsService } from '../legal-holds/legal-holds.service.js';
import { MAX_HELD, type HoldIncident, type IncidentHoldReply } from './incidents.dto.js';
import { incidentEntry } from './incidents.events.js';
import { LegalHoldsOff } from './incidents.problems.js';
import { namesOf } from './incidents.rules.js';
import { IncidentsService } from './incidents.service.js';

/** Legal holds over what an incident is about: they cannot be released before it is closed. */
@Injectable()
export class IncidentHoldsService implements OnModuleInit {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly incidents: IncidentsService,
    private readonly holds: LegalHoldsService,
    private readonly states: IncidentStates,
    private readonly audit: AuditTrail,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    this.states.answerBy((incidentId) => this.incidents.isOpen(incidentId));
  }

  /**
   * @throws LegalHoldsOff, IncidentUnknown, IncidentClosed; ValidationFailed for an incident that names nothing to
   * hold, or too much
   */
  place(caller: DaemonCaller, id: string, { reason, entity_prefixes: more }: HoldIncident): Promise<IncidentHoldReply> {
    if (!this.settings.flags.legalHold)
      throw new LegalHoldsOff(
        {},
        'Start the daemon with SVCD_FEATURE_LEGAL_HOLD=1, by which a hold can be read and released',
      );
    return this.tenants.write(caller, undefined, async () => {
      const { tenantId, title, entities } = await this.incidents.findOpen(id);
      const prefixes = namesOf([...entities, ...(more ?? [])]);
      checkPrefixes(prefixes);
      const request = { tenant_id: tenantId, reason: reason ?? `Incident ${id}: ${title}`, entity_prefixes: prefixes };
      const { hold, receipt_record_id } = await this.holds.place(caller, request, id);
      await this.audit.record(caller, incidentEntry('held', id, { holdId: hold.id, entityPrefixes: prefixes }));
      return {
        ...{ incident_id: id, hold_id: hold.id, reason: hold.reason, entity_prefixes: hold.entity_prefixes },
        ...{ placed_at: hold.placed_at, receipt_id: receipt_record_id },
      };
    });
  }
}

/** None would hold the whole tenant, which nobody asked for. @throws ValidationFailed */
function checkPrefixes(prefixes: readonly string[]): void {
  if (prefixes.length === 0)
    throw invalid('body.entity_prefixes', 'must name what to hold, since the incident names no entities');
  if (prefixes.length > MAX_HELD)
    throw invalid(
      'body.entity_prefixes',
      `and the entities of the incident are ${prefixes.length}; a hold takes ${MAX_HELD}, so place several under POST /v1/legal-holds`,
    );
}
