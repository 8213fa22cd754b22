import { Choice, DateTime, Integer, ListOf, Nested, Text, TextList, Uuid } from '../../../common/fields/fields.js';
import { NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';
import { INCIDENT_STATUSES, SEVERITIES, type IncidentStatus, type Severity } from './incidents.types.js';

const MAX_NAMED = 200;
/** As much as an entity, or the name of a document, has. */
const MAX_NAME = 640;
const MAX_NOTE = 10_000;
/** As many as a legal hold takes. */
export const MAX_HELD = 100;

const Names = (about: string) => TextList({ about, optional: true, max: MAX_NAME, maxItems: MAX_NAMED });

export class IncidentPath {
  @Uuid({ about: 'The incident.' })
  id!: string;
}

/** When what happened began and ended. */
export class IncidentWindow {
  @DateTime({ about: 'When it began.', example: '2026-01-31T12:00:00Z' })
  from!: string;

  @DateTime({ about: 'When it ended; null or absent while it goes on.', optional: true, nullable: true })
  to?: string | null;
}

export class OpenIncident {
  @TenantIdMember('The tenant it happened in.', { example: 'default' })
  tenant_id!: string;

  @Text({ about: 'What happened, in a line.', min: 1, max: 300, example: 'Poisoned handbook page' })
  title!: string;

  @Nested({ about: 'From when until when.', type: () => IncidentWindow })
  window!: IncidentWindow;

  @Names('Agent sessions that were part of it.')
  session_ids?: string[];

  @Names('Agents or principals that were part of it, as receipts name them.')
  agent_ids?: string[];

  @Names('Entities it is about: each names itself and all whose names begin with it.')
  entities?: string[];

  @Text({ about: 'What else is known.', optional: true, max: MAX_NOTE })
  notes?: string;

  @Choice({ about: 'How bad it is.', values: SEVERITIES, default: 'medium' })
  severity!: Severity;
}

export class ChangeIncident {
  @Choice({
    about: 'Another status. open: contained, closed; contained: open, closed; closed: open.',
    values: INCIDENT_STATUSES,
    optional: true,
  })
  status?: IncidentStatus;

  @Choice({ about: 'Another severity.', values: SEVERITIES, optional: true })
  severity?: Severity;

  @Text({ about: 'Words to add to its notes; what is there stays.', optional: true, min: 1, max: MAX_NOTE })
  notes?: string;

  @Integer({
    about: 'The version that the change is meant for: 409 when there is a later one.',
    optional: true,
    min: 1,
    max: 2 ** 31 - 1,
  })
  base_version?: number;
}

export class HoldIncident {
  @Text({ about: 'Why; names the incident when absent.', optional: true, min: 1, max: 2000 })
  reason?: string;

  @TextList({
    about:
      'What to hold in addition to the entities of the incident: how entities begin, compared character by character.',
    optional: true,
    max: MAX_NAME,
    maxItems: MAX_HELD,
  })
  entity_prefixes?: string[];
}

export class IncidentHoldReply {
  @Uuid({ about: 'The incident: its hold cannot be released before it is closed.' })
  incident_id!: string;

  @Uuid({ about: 'The hold. DELETE /v1/legal-holds/{id} releases it.' })
  hold_id!: string;

  @Text({ about: 'Why.' })
  reason!: string;

  @TextList({ about: 'How the entities that it pins begin.' })
  entity_prefixes!: string[];

  @DateTime({ about: 'When it was placed.' })
  placed_at!: string;

  @Uuid({ about: 'The signed receipt of the hold.' })
  receipt_id!: string;
}

export class IncidentQuery extends PageQuery {
  @TenantIdMember('The tenant whose incidents are meant.', { example: 'default' })
  tenant_id!: string;

  @Choice({ about: 'Only those in this status.', values: INCIDENT_STATUSES, optional: true })
  status?: IncidentStatus;
}

export class ShownWindow {
  @DateTime({ about: 'When it began.' })
  from!: string;

  @DateTime({ about: 'When it ended; null while it goes on.', nullable: true })
  to!: string | null;
}

export class ShownNote {
  @Text({ about: 'What was noted.' })
  text!: string;

  @Text({ about: 'The principal that noted it.' })
  by!: string;

  @DateTime({ about: 'When.' })
  at!: string;
}

export class IncidentCase {
  @Uuid({ about: 'The incident.' })
  incident_id!: string;

  @Text({ about: 'The tenant it happened in.' })
  tenant_id!: string;

  @Text({ about: 'What happened, in a line.' })
  title!: string;

  @Nested({ about: 'From when until when.', type: () => ShownWindow })
  window!: ShownWindow;

  @TextList({ about: 'Agent sessions that were part of it.' })
  session_ids!: string[];

  @TextList({ about: 'Agents or principals that were part of it.' })
  agent_ids!: string[];

  @TextList({ about: 'Entities it is about.' })
  entities!: string[];

  @Text({ about: 'All notes, oldest first, with an empty line between.' })
  notes!: string;

  @ListOf({ about: 'The same, each with who noted it and when.', type: () => ShownNote })
  note_log!: ShownNote[];

  @Choice({ about: 'How bad it is.', values: SEVERITIES })
  severity!: Severity;

  @Choice({ about: 'Its status.', values: INCIDENT_STATUSES })
  status!: IncidentStatus;

  @Integer({ about: 'Counts its changes from 1.', min: 1 })
  version!: number;

  @Text({ about: 'The principal that opened it.' })
  opened_by!: string;

  @DateTime({ about: 'When.' })
  opened_at!: string;

  @DateTime({ about: 'When it changed last.' })
  updated_at!: string;

  @DateTime({ about: 'When it was closed; null unless it is.', nullable: true })
  closed_at!: string | null;
}

export class IncidentReply {
  @Nested({ about: 'The incident.', type: () => IncidentCase })
  case!: IncidentCase;

  @Uuid({ about: 'The signed receipt of its opening.' })
  case_record_id!: string;
}

export class ShownIncident extends IncidentReply {
  @Uuid({
    about: 'Its newest walk, as GET .../blast-radius shows it; null where nobody asked for one.',
    nullable: true,
  })
  radius_id!: string | null;
}

export class IncidentList {
  @Text({ about: '`svc.incidents/1`.' })
  schema!: string;

  @Text({ about: 'The tenant whose incidents they are.' })
  tenant_id!: string;

  @ListOf({ about: 'The incidents, newest first.', type: () => IncidentCase })
  cases!: IncidentCase[];

  @PageCount()
  count!: number;

  @NextCursor()
  next_cursor!: string | null;
}
