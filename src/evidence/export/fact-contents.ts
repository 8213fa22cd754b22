import { isCborMap } from '../cbor.js';
import type { Digest } from '../digest.js';
import { BOUND_MEMBERS, type BoundFact, FACT_BATCH, factLeaf } from '../fact-leaf.js';
import { isInBatch } from '../leaf-tree.js';
import type { SignedReceipt } from '../receipt.js';
import type { OpenExport, OpenItem } from './open-export.js';

/**
 * Facts are what the receipts of their batches bind, as far as both are shown; one without a receipt says so. No
 * version is missing between two of the same owner, entity and key. docs/formats/export.md, step `contents`.
 */
export function checkFacts({ items, file: { manifest } }: OpenExport): string {
  const facts = items.filter(({ type }) => type === 'fact');
  if (facts.length === 0) return '';
  const receipts = items.filter(({ type }) => type === 'receipt').map(({ receipt }) => receipt);
  const bound = facts.filter((fact) => isBound(fact, receipts)).length;
  const unproven = facts.filter((fact) => fact.shown.at('unproven')?.value === true).length;
  checkVersions(facts, manifest.complete);
  const rest = facts.length - bound - unproven;
  return `; ${facts.length} facts, ${bound} bound by receipts${unproven > 0 ? `, ${unproven} UNPROVEN: without a receipt` : ''}${rest > 0 ? `, ${rest} shown in part` : ''}`;
}

/** @returns whether the fact was led to the root of its batch; false where too little is shown for that */
function isBound(fact: OpenItem, receipts: readonly (SignedReceipt | undefined)[]): boolean {
  const { index, shown } = fact;
  const binding = bindingOf(fact);
  const members = BOUND_MEMBERS.map((name) => [name, shown.at(name)?.value] as const);
  if (!binding || members.some(([, value]) => value === undefined)) return false;
  const receipt = receipts.find((one) => one?.receiptId === binding.receipt_id);
  if (!receipt && receipts.includes(undefined)) return false;
  if (!receipt) throw new Error(`item ${index}: the export does not have the receipt of its binding`);
  const { kind, occurred_at, body } = receipt.payload;
  const sources = shown.text('sources_digest');
  const leaf = factLeaf({ ...(Object.fromEntries(members) as unknown as BoundFact), sources_digest: sources });
  if (kind !== FACT_BATCH || !isInBatch(leaf, binding, body))
    throw new Error(`item ${index}: the fact is not the one that its receipt binds`);
  if ((shown.text('stored_at') ?? occurred_at) !== occurred_at)
    throw new Error(`item ${index}: stored_at is not the time of its receipt`);
  return true;
}

interface Binding {
  readonly receipt_id: string;
  readonly index: number;
  readonly path: readonly Digest[];
}

/** What leads to the receipt; undefined where it is withheld, or the fact says that there is none. */
function bindingOf({ index, shown }: OpenItem): Binding | undefined {
  const binding = shown.at('binding')?.whole();
  const unproven = shown.at('unproven')?.value;
  if (unproven !== undefined && unproven !== true) throw new Error(`item ${index}: unproven is true, or not there`);
  if (binding === null && !unproven)
    throw new Error(`item ${index}: a fact without a receipt must say that it is unproven`);
  if (binding === undefined || binding === null) return undefined;
  if (unproven) throw new Error(`item ${index}: a fact with a receipt is not unproven`);
  if (!isCborMap(binding)) throw new Error(`item ${index}: its binding is no map`);
  const isWhole = ['receipt_id', 'index', 'path'].every((name) => Object.hasOwn(binding, name));
  if (isWhole && !Array.isArray(binding.path)) throw new Error(`item ${index}: the path of its binding is no list`);
  return isWhole ? (binding as unknown as Binding) : undefined;
}

/** Where all facts show which they are. */
function checkVersions(facts: readonly OpenItem[], isComplete: boolean): void {
  const last = new Map<string, number>();
  const named = facts.map(({ index, shown }) => ({
    index,
    chain: ['owner', 'entity', 'key'].map((name) => shown.text(name)),
    version: shown.number('version'),
  }));
  if (named.some(({ chain, version }) => version === undefined || chain.includes(undefined))) return;
  for (const { index, chain, version } of named) {
    const before = last.get(JSON.stringify(chain)) ?? (isComplete ? 0 : version! - 1);
    if (version !== before + 1) throw new Error(`item ${index}: versions of its entity and key are missing`);
    last.set(JSON.stringify(chain), version);
  }
}
