import { listAccessRequests, readApproval } from '../../generated/api/sdk.gen.ts';
import { readCandidate, readGate, readMintRequest } from '../../generated/daemon/sdk.gen.ts';
import type { ReviewItem } from './review-items.ts';

const MOST_ACCESS_REQUESTS = 200;

/** The item itself, from the server that has it. */
export async function askItem({
  kind,
  id,
}: ReviewItem): Promise<{ data?: unknown; error?: unknown; response?: Response }> {
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
      return readApproval({ path: { approvalRequestId: id } });
    case 'access_request': {
      const asked = await listAccessRequests({ query: { limit: MOST_ACCESS_REQUESTS } });
      return { ...asked, data: asked.data?.accessRequests.find(({ requestId }) => requestId === id) };
    }
  }
}
