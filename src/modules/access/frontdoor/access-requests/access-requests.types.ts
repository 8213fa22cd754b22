export const AUDIENCES = ['agent', 'human'] as const;
export type Audience = (typeof AUDIENCES)[number];

/** The states of tenant-api.md 3. */
export const ACCESS_REQUEST_STATUSES = [
  'submitted',
  'reviewing',
  'approved',
  'rejected',
  'provisioned',
  'spam',
] as const;
export type AccessRequestStatus = (typeof ACCESS_REQUEST_STATUSES)[number];
