/** NOTIFY of a row of principal_end: `{"tenant", "principal"}`. */
export const PRINCIPAL_ENDED = 'svc_principal_ended';

/** Who ended, and where. */
export const principalIn = (payload: string): { tenant: string; principal: string } =>
  JSON.parse(payload) as { tenant: string; principal: string };
