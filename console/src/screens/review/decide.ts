import type { QueryClient } from '@tanstack/react-query';
import { answerOf } from '../../client/answer.ts';
import { RequestFailure } from '../../client/request-failure.ts';
import { decideAccessRequest, resolveApproval } from '../../generated/api/sdk.gen.ts';
import type { AccessRequest, UiIntegritySession } from '../../generated/api/types.gen.ts';
import {
  approveGate,
  approveMintRequest,
  promoteCandidate,
  rejectCandidate,
  rejectGate,
  rejectMintRequest,
} from '../../generated/daemon/sdk.gen.ts';
import type { Candidate } from '../../generated/daemon/types.gen.ts';
import { hexOf, utf8 } from '../../verify/bytes.ts';
import { sha256 } from '../../verify/crypto.ts';
import { keyOf, type ReviewItem } from './review-items.ts';
import type { SeenApproval } from './seen.ts';

export interface Decision {
  isApproval: boolean;
  reason: string;
  passport: string | undefined;
}

export interface Outcome {
  text: string;
  /** The candidate whose promotion can be undone. */
  undoes?: string;
  /** Shown once: the token of an approval. */
  token?: string;
  /** The item still waits: it was taken up, and is decided on next. */
  goesOn?: true;
}

type Decide = (item: ReviewItem, decision: Decision, seen: unknown) => Promise<Outcome>;

const idempotent = () => ({ 'x-idempotency-key': crypto.randomUUID() });

/** What was read of an item, so that what is decided on is what was shown. */
export const seenKey = (item: ReviewItem): readonly unknown[] => ['review', 'seen', keyOf(item)];

async function decideCandidate(item: ReviewItem, { isApproval, reason }: Decision, seen: unknown): Promise<Outcome> {
  if (!isApproval) {
    await answerOf(rejectCandidate({ path: { id: item.id }, body: { reason } }));
    return { text: `Rejected: ${item.title}` };
  }
  const { version, conflicts_with, resolution } = seen as Candidate;
  const supersedes = resolution === 'conflict' ? { supersedes: conflicts_with } : {};
  await answerOf(promoteCandidate({ path: { id: item.id }, body: { base_version: version, ...supersedes } }));
  return { text: `Stored: ${item.title}`, undoes: item.id };
}

const decideGate: Decide = async (item, { isApproval, reason, passport }) => {
  const request = { path: { actionId: item.id }, body: bodyOf(reason, passport) };
  await answerOf(isApproval ? approveGate(request) : rejectGate(request));
  return { text: `${isApproval ? 'Approved' : 'Rejected'}: ${item.title}` };
};

const decideMintRequest: Decide = async (item, { isApproval, reason, passport }) => {
  const request = { path: { id: item.id }, body: bodyOf(reason, passport) };
  if (isApproval) await answerOf(approveMintRequest(request));
  else await answerOf(rejectMintRequest(request));
  return { text: `${isApproval ? 'Registered' : 'Rejected'}: ${item.title}` };
};

const bodyOf = (reason: string, passport: string | undefined) => ({
  ...(passport ? { approver_passport: passport } : {}),
  ...(reason ? { reason } : {}),
});

const decideApproval: Decide = async (item, { isApproval, reason }, seen) => {
  const { session } = seen as SeenApproval;
  const { approvalToken } = await answerOf(
    resolveApproval({
      path: { approvalRequestId: item.id },
      headers: idempotent(),
      body: { decision: isApproval ? 'approve' : 'reject', reason, ...(session && (await signedOff(session))) },
    }),
  );
  return {
    text: `${isApproval ? 'Approved' : 'Rejected'}: ${item.title}`,
    ...(approvalToken ? { token: approvalToken } : {}),
  };
};

/** The digest is of the text as this page has shown it. */
const signedOff = async ({ uiIntegritySessionId, text }: UiIntegritySession) => ({
  uiIntegritySessionId,
  shownDigest: `sha256:${hexOf(await sha256(utf8(text)))}`,
});

/** A request that nobody looked at is taken up first: the routes know no shorter way. */
const decideAccess: Decide = async (item, { isApproval, reason }, seen) => {
  const { allowed } = seen as AccessRequest;
  const wanted = isApproval ? 'approved' : 'rejected';
  const status = allowed.includes(wanted) ? wanted : 'reviewing';
  await answerOf(
    decideAccessRequest({
      path: { id: item.id },
      headers: idempotent(),
      body: { status, ...(reason ? { reason } : {}) },
    }),
  );
  if (status === 'reviewing') return { text: `Taken up: ${item.title}. Decide on it now.`, goesOn: true };
  return { text: `${wanted}: ${item.title}` };
};

const DECIDE: Record<ReviewItem['kind'], Decide> = {
  candidate: decideCandidate,
  gate: decideGate,
  mint_request: decideMintRequest,
  approval: decideApproval,
  access_request: decideAccess,
};

/** @throws RequestFailure also where the item was not read yet: nobody decides on what was not shown */
export async function decideOn(queries: QueryClient, item: ReviewItem, decision: Decision): Promise<Outcome> {
  const seen = queries.getQueryData(seenKey(item));
  if (seen === undefined)
    throw new RequestFailure(0, { title: 'Not decided', detail: 'Its details are not loaded yet.' }, undefined);
  return DECIDE[item.kind](item, decision, seen);
}
