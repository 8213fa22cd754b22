/** What a plane answers with 200 while its flag is off, where the specification has it reported and not refused. */
export interface PlaneReportedOff {
  enabled: false;
  /** The variable that switches it on. */
  flag: string;
  detail: string;
}

const MEMBERS = {
  enabled: { const: false },
  flag: { type: 'string' },
  detail: { type: 'string' },
} satisfies Record<keyof PlaneReportedOff, object>;

/** Of the OpenAPI document. */
export const PLANE_REPORTED_OFF = { type: 'object', required: Object.keys(MEMBERS), properties: MEMBERS };

export const reportOff = (flag: string, detail: string): PlaneReportedOff => ({ enabled: false, flag, detail });

/** Whether an answer of a route is one. */
export const isReportedOff = ({ enabled, flag }: Record<string, unknown>): boolean =>
  enabled === false && flag !== undefined;
