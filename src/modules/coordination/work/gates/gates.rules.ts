import { ANONYMOUS, isNobody, isRequester, namesOf, type Party } from '../../../../common/bearer-auth/party.js';
import { moveName } from '../moves.rules.js';
import type { WorkState } from '../work.types.js';

/** Days that a gate waits for a decision. */
export const GATE_DAYS = 7;

/** So many owners are kept of an item (svc_keep_owners). Of one that had more it is not known who has not been one. */
export const MAX_OWNERS = 100;

/** What an approval may be needed for. */
export interface AskedMove {
  from: WorkState;
  to: WorkState;
  /** Whose the item is, is after the change, or was since it was last done. */
  owners: readonly (string | null | undefined)[];
  by: Party;
  /** Whether the credential has moved the item in the name of one of them. */
  hasMovedAsOwner: boolean;
}

/** Whether a policy names a move, itself or by `*` for any state. */
export function isNamed(moves: readonly string[], from: WorkState, to: WorkState): boolean {
  const names = [moveName(from, to), `${from}>*`, `*>${to}`, '*>*'];
  return moves.some((move) => names.includes(move));
}

/** Those that there are. */
export const ownersOf = ({ owners }: Pick<AskedMove, 'owners'>): string[] =>
  owners.filter((owner) => owner !== null && owner !== undefined);

/** Whether a move needs an approval: of one's own work out of review, and what the project's policy names. */
export function needsApproval(move: AskedMove, policy: readonly string[]): boolean {
  const { from, to, by, hasMovedAsOwner } = move;
  const names = namesOf(by);
  const owners = ownersOf(move);
  // Who has a token that names nobody may be anybody.
  const isOwner = owners.length >= MAX_OWNERS || owners.some((owner) => isNobody(by) || names.includes(owner));
  const isOwn = hasMovedAsOwner || isOwner;
  return (from === 'in_review' && to === 'done' && isOwn) || isNamed(policy, from, to);
}

/** A request for an approval, as far as it says who may decide. */
export interface Requested {
  requestedPassport: string;
  requestedPrincipal: string;
  requestedSubject: string | null;
  mayDecide: readonly string[] | null;
}

/** @returns why a party may not decide; undefined where it may */
export function findRefusal(by: Party, gate: Requested): string | undefined {
  if (isNobody(by)) return 'Nothing says who decides: send approver_passport, or X-Svc-Passport-Id';
  if (isRequester(by, gate)) return `${gate.requestedPassport} asked for it, and another has to decide`;
  if (gate.mayDecide === null) return undefined;
  // What a body claims counts only where nothing else says who it is.
  const certain = by.principal === ANONYMOUS ? namesOf(by) : namesOf({ ...by, passport: undefined });
  return certain.some((name) => gate.mayDecide!.includes(name))
    ? undefined
    : `The project lets ${gate.mayDecide.join(', ')} decide, and nobody else`;
}
