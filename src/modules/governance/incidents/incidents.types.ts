export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const INCIDENT_STATUSES = ['open', 'contained', 'closed'] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];

/** Words that were added to a case. */
export interface IncidentNote {
  text: string;
  /** The principal. */
  by: string;
  /** RFC 3339. */
  at: string;
}

/** A window with its end: null while it goes on. */
export interface Window {
  from: Date;
  to: Date | null;
}
