import type { OpenField } from './derived-fields.rules.js';

/** Members that name somebody, or the session in which somebody acted. */
const NAMES = new Set([
  'actor',
  'agent_id',
  'agentId',
  'agent_principal_id',
  'agentPrincipalId',
  'decided_by',
  'decidedBy',
  'key_id',
  'keyId',
  'label',
  'owner',
  'passport_id',
  'prefix',
  'principal',
  'recorded_by',
  'resolved_by',
  'resolvedBy',
  'seat_id',
  'seatId',
  'session_id',
  'sessionId',
  'written_by',
]);
/** Of these the subject is somebody. */
const ABOUT_PRINCIPALS = /^(?:agent|api_key|seat)\./;

/** The fields that say who acted, or who was acted upon, by their names; and whatever else has one of their values. */
export function identifyingFields(open: readonly OpenField[]): OpenField[] {
  const principals = new Set(open.filter(isAboutPrincipal).map(({ steps }) => steps[1]));
  const isNamed = (one: OpenField) =>
    one.steps.some((step) => NAMES.has(step)) || (isSubject(one) && principals.has(one.steps[1]));
  const ids = new Set(open.filter(isNamed).flatMap(idOf));
  return open.filter((one) => isNamed(one) || idOf(one).some((id) => ids.has(id)));
}

const isSubject = (one: OpenField): boolean => ['payload.subject', 'subject'].includes(one.name);

const isAboutPrincipal = ({ type, name, field: { value } }: OpenField): boolean =>
  (type === 'receipt' ? name === 'payload.kind' : type === 'happening' && name === 'kind') &&
  typeof value === 'string' &&
  ABOUT_PRINCIPALS.test(value);

/** `seat:<id>` and the id alone are the same. */
const idOf = ({ field: { value } }: OpenField): string[] =>
  typeof value === 'string' && value !== '' ? [value.replace(/^[a-z_]+:/, '')] : [];
