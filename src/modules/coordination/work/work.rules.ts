import { invalid, type ValidationFailed } from '../../../common/problem/common-problems.js';
import type { GatedMembers } from './gates/gates.types.js';
import { findForbidden } from './moves.rules.js';
import type { BlockKind, WorkState } from './work.types.js';

/** The members of an item that a change may name, apart from its state. */
interface WorkMembers {
  title?: string | undefined;
  body?: string | undefined;
  assigneePassport?: string | null | undefined;
  linkedPr?: string | null | undefined;
  linkedIssue?: string | null | undefined;
  blockerReason?: string | null | undefined;
  blockerKind?: BlockKind | null | undefined;
  priority?: number | undefined;
  labels?: string[] | undefined;
}

interface Item extends Required<{ [Member in keyof WorkMembers]: Exclude<WorkMembers[Member], undefined> }> {
  state: WorkState;
}

/** A change, as it is asked for. */
export interface AskedChange extends WorkMembers {
  state?: WorkState | undefined;
}

/** How a request names the members. */
const WIRE: Record<keyof AskedChange, string> = {
  title: 'title',
  body: 'body',
  state: 'state',
  assigneePassport: 'assignee_passport',
  linkedPr: 'linked_pr',
  linkedIssue: 'linked_issue',
  blockerReason: 'blocker_reason',
  blockerKind: 'blocker_kind',
  priority: 'priority',
  labels: 'labels',
};

/** What a move brings with it: a blocked item says why, one that is blocked no longer does not. */
export interface Move {
  from: WorkState;
  to: WorkState;
  blockerKind: BlockKind | null;
  blockerReason: string | null;
}

/**
 * The move that a change asks for.
 * @returns undefined where the state stays as it is
 * @throws ValidationFailed for a move that is not in the table, and for `blocked` without a kind
 */
export function moveOf(item: Item, asked: AskedChange): Move | undefined {
  const { state: from } = item;
  const { state: to = from } = asked;
  const forbidden = findForbidden(from, to);
  if (forbidden !== undefined) throw invalid('body.state', forbidden);
  const leaves = from === 'blocked' && to !== 'blocked';
  const blockerKind = asked.blockerKind === undefined ? (leaves ? null : item.blockerKind) : asked.blockerKind;
  const blockerReason = asked.blockerReason === undefined ? (leaves ? null : item.blockerReason) : asked.blockerReason;
  if (to === 'blocked' && blockerKind === null) throw needsKind();
  return from === to ? undefined : { from, to, blockerKind, blockerReason };
}

export const needsKind = (): ValidationFailed =>
  invalid('body.blocker_kind', 'is needed of an item that is blocked: needs_info or needs_approval');

/** What is written at once, and what waits for an approval. */
export interface Plan {
  values: Partial<Item>;
  /** By the names of the request. */
  applied: string[];
  gated: { before: GatedMembers; after: GatedMembers } | undefined;
}

/**
 * Divides a change into what is applied and what is queued: a gated move is, and what it brings with it.
 * @param isGated whether the move needs an approval
 */
export function divide(item: Item, asked: AskedChange, move: Move | undefined, isGated: boolean): Plan {
  const held: (keyof AskedChange)[] =
    move && isGated ? ['state', ...(move.to === 'blocked' ? (['blockerKind', 'blockerReason'] as const) : [])] : [];
  const given = (Object.keys(WIRE) as (keyof AskedChange)[]).filter((name) => asked[name] !== undefined);
  const applied = given.filter((name) => !held.includes(name));
  const wanted: Partial<Item> = {
    ...Object.fromEntries(applied.map((name) => [name, asked[name]])),
    ...(move && !isGated ? { state: move.to, blockerKind: move.blockerKind, blockerReason: move.blockerReason } : {}),
  };
  const changed = Object.entries(wanted).filter(([name, value]) => !isSame(item[name as keyof Item], value));
  return {
    values: Object.fromEntries(changed),
    applied: applied.map((name) => WIRE[name]),
    gated: move && isGated ? gatedOf(item, move) : undefined,
  };
}

function gatedOf(item: Item, { from, to, blockerKind, blockerReason }: Move): NonNullable<Plan['gated']> {
  if (to !== 'blocked' && from !== 'blocked') return { before: { state: from }, after: { state: to } };
  return {
    before: { state: from, blocker_kind: item.blockerKind, blocker_reason: item.blockerReason },
    after: { state: to, blocker_kind: blockerKind, blocker_reason: blockerReason },
  };
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Labels once each, in their order. */
export const distinct = (labels: readonly string[]): string[] => [...new Set(labels)];
