import { problem } from '../../../common/problem/problem.js';

export class IncidentUnknown extends problem<{ incident_id: string }>(
  404,
  'IncidentUnknown',
  'There is no such incident',
) {}

export class IncidentChanged extends problem<{ version: number }>(
  409,
  'IncidentChanged',
  'The incident has changed meanwhile',
) {}

/** It is closed: nothing is held, set aside or brought back under it. */
export class IncidentClosed extends problem<{ incident_id: string }>(409, 'IncidentClosed', 'The incident is closed') {}

/** The plane that could release what is held is not served. */
export class LegalHoldsOff extends problem(409, 'LegalHoldsOff', 'Legal holds are not served') {}
