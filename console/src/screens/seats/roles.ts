import type { OrgSeat } from '../../generated/api/types.gen.ts';

export type Role = OrgSeat['role'];

export const ROLES: readonly { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer: reads' },
  { value: 'member', label: 'Member: reads and writes' },
  { value: 'admin', label: 'Admin: decides and invites' },
  { value: 'owner', label: 'Owner: everything, also other owners' },
];
