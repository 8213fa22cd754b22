import {
  listAccessRequests,
  openUiIntegritySession,
  readApproval,
  readShieldPolicy,
} from '../../generated/api/sdk.gen.ts';
import type { Approval, UiIntegritySession } from '../../generated/api/types.gen.ts';
import { readCandidate, readGate, readMintRequest } from '../../generated/daemon/sdk.gen.ts';
import type { ReviewItem } from './review-items.ts';

const MOST_ACCESS_REQUESTS = 200;

type Asked = Promise<{ data?: unknown; error?: unknown; response?: Response }>;

/** An approval request, and the text to sign off where the policy of the tenant asks for that. */
export interface SeenApproval {
  approval: Approval;
  session?: UiIntegritySession;
}

/** The item itself, from the server that has it. */
export async function askItem({ kind, id }: ReviewItem): Asked {
  switch (kind) {
    case 'candidate': {
      const asked = await readCandidate({ path: { id } });
      return { ...asked, data: asked.data?.candidate };
    }
    case 'gate':
      return readGate({ path: { actionId: id } });
    case 'mint_request': {
      const asked = await readMintRequest({ path: { id } });
      return { ...asked, data: asked.data?.mint_request };
    }
    case 'approval':
      return askApproval(id);
    case 'access_request': {
      const asked = await listAccessRequests({ query: { limit: MOST_ACCESS_REQUESTS } });
      return { ...asked, data: asked.data?.accessRequests.find(({ requestId }) => requestId === id) };
    }
  }
}

async function askApproval(approvalRequestId: string): Asked {
  const asked = await readApproval({ path: { approvalRequestId } });
  const approval = asked.data;
  if (approval?.status !== 'pending') return { ...asked, data: approval && { approval } };
  const policy = await readShieldPolicy();
  if (!policy.data?.requireUiIntegrity) return { ...policy, data: policy.data && { approval } };
  const headers = { 'x-idempotency-key': crypto.randomUUID() };
  const opened = await openUiIntegritySession({ headers, body: { approvalRequestId } });
  return { ...opened, data: opened.data && { approval, session: opened.data } };
}
