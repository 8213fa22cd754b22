import { tool } from '../../../../common/contract/tool-declaration.js';
import { WorkPath } from '../work.dto.js';
import {
  ClaimNextRequest,
  ClaimReply,
  ReleaseReply,
  ReleaseRequest,
  RenewedReply,
  RenewLeaseRequest,
} from './claims.dto.js';

export const CLAIM_TOOLS = [
  tool('claim_next_work', {
    title: 'Claim the next work item',
    description:
      'Gives you the most urgent item that is ready and that nothing blocks, and nobody else the same one. work is null when nothing is ready. Keep lease.fence: send it with everything you write for the item, renew the lease before renew_before by renew_lease, and end with update_work or release_work. After expires_at the item goes to somebody else.',
    route: 'POST /v1/work/claim-next',
    body: ClaimNextRequest,
    answer: ClaimReply,
    isRead: false,
  }),
  tool('renew_lease', {
    title: 'Renew a lease',
    description:
      'Gives you more time for a work item or a path that you hold, under the same fence. Call it before renew_before. LEASE_ENDED means that you came too late: stop writing, and claim or acquire again. A renewal never shortens the time.',
    route: 'POST /v1/work/renew-lease',
    body: RenewLeaseRequest,
    answer: RenewedReply,
    isRead: false,
    isIdempotent: true,
  }),
  tool('release_work', {
    title: 'Give a work item back',
    description:
      'Ends your lease of a work item that you do not finish. What was in progress is ready for others at once. Say why in reason, so that the next one knows. LEASE_ENDED means that you do not hold it any more, and that nothing is to be done.',
    route: 'POST /v1/work/:id/release',
    path: WorkPath,
    body: ReleaseRequest,
    answer: ReleaseReply,
    names: { id: 'work_id' },
    isRead: false,
  }),
];
