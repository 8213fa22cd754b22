import type { DigestedCall, PresentedApproval, VoidCause } from '../shield.types.js';

/** How long a request stands, and with it the token of its approval (D24). */
export const APPROVAL_SECONDS = 900;
/** Arguments longer than this are kept as their digest alone. */
export const SHOWN_ARGUMENTS_BYTES = 256 * 1024;

/** The token of an approval, of 32 bytes nobody can guess. */
export const approvalTokenOf = (bytes: Buffer): string => `svc_appr_${bytes.toString('base64url')}`;

/**
 * Why the approval does not open this call; undefined when it does. Strict: whatever differs voids it, a changed policy
 * too.
 */
export function causeOfVoid(
  approval: PresentedApproval,
  call: DigestedCall,
  policyVersion: number,
): VoidCause | undefined {
  if (approval.principal !== call.caller.principal) return 'another_principal';
  if (approval.state === 'used') return 'used';
  if (approval.state === 'expired') return 'expired';
  if (approval.state !== 'approved') return 'ended';
  if (approval.action !== call.action) return 'another_action';
  if (approval.argumentsDigest !== call.argumentsDigest) return 'arguments_changed';
  if (approval.toolDigest !== (call.toolDigest ?? null) || approval.serverId !== (call.serverId ?? null))
    return 'tool_changed';
  return approval.policyVersion === policyVersion ? undefined : 'policy_changed';
}

const CAUSES: Record<VoidCause, string> = {
  unknown: 'There is no approval with this token',
  used: 'The approval was used already',
  expired: 'The approval has expired',
  ended: 'The approval has ended',
  another_principal: 'The approval was given to another principal',
  another_action: 'The approval is for another action',
  arguments_changed: 'The arguments are not those that were approved',
  tool_changed: 'The server or the tool definition is not the one that was approved',
  policy_changed: 'Trust or kill switches changed since the approval was asked for',
};

export function explainVoid(cause: VoidCause, approval: PresentedApproval | null): string {
  const why = cause === 'ended' && approval?.endReason ? `: ${approval.endReason}` : '';
  return `${CAUSES[cause]}${why}. Send the call without the token to ask for a new one`;
}

/** What a human is shown before signing off. */
export interface ShownRequest {
  approvalRequestId: string;
  tenantId: string;
  principal: string;
  action: string;
  serverId: string | null;
  toolDigest: string | null;
  argumentsDigest: string;
  arguments: string | null;
  policyVersion: number;
  spendCredits: number | null;
  reason: string;
  requestedAt: string;
  expiresAt: string;
}

/**
 * The one text of a request: every line of it is under the digest, and the nonce makes the digest of each showing
 * another.
 */
export function renderRequest(request: ShownRequest, nonce: string): string {
  const quote = (text: string | null) => (text === null ? 'none' : JSON.stringify(text));
  return [
    `Approval request ${request.approvalRequestId}`,
    `Tenant: ${quote(request.tenantId)}`,
    `Asked by: ${quote(request.principal)}`,
    `Action: ${quote(request.action)}`,
    `Server: ${quote(request.serverId)}`,
    `Tool definition: ${quote(request.toolDigest)}`,
    `Policy version: ${request.policyVersion}`,
    `Spends at most: ${request.spendCredits === null ? 'not said' : `${request.spendCredits} credits`}`,
    `Why: ${quote(request.reason)}`,
    `Asked at: ${request.requestedAt}`,
    `Expires at: ${request.expiresAt}`,
    `Nonce: ${nonce}`,
    `Arguments (${request.argumentsDigest}):`,
    request.arguments ?? 'too long to be shown; compare their digest',
    '',
  ].join('\n');
}
