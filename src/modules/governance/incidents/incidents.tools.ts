import { tool } from '../../../common/contract/tool-declaration.js';
import { IncidentReply, OpenIncident } from './incidents.dto.js';

export const INCIDENT_TOOLS = [
  tool('open_incident', {
    title: 'Open an incident',
    description:
      'Opens an incident case: what went wrong, from when until when, and the sessions, agents and entities that were part of it. The opening leaves a signed receipt, case_record_id, and an event that operators can be called by. It changes nothing else: people hold entities, look for what rests on a bad source and set it aside under the case. Open one when you find content that was tampered with, or see an agent act against its instructions.',
    route: 'POST /v1/incidents',
    body: OpenIncident,
    answer: IncidentReply,
    isRead: false,
  }),
];
