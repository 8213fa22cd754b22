import { sha256 } from '../../../evidence/sha256.js';
import type { FactMatch } from '../facts/facts.types.js';
import type { FactDraft } from '../facts/facts.types.js';

const MAX_BATCH = 1000;
/** Characters of values in a batch, beyond which it ends. */
const MAX_BATCH_TEXT = 4 * 1024 * 1024;

/** The name of a chain as the database digests it (svc_fact_chain): it locks chains in the order of the digests. */
export function chainOf({ owner, entity, key }: Pick<FactDraft, 'owner' | 'entity' | 'key'>): string {
  const length = (text: string): number => Array.from(text).length;
  return sha256(`${length(owner)}:${owner}${length(entity)}:${entity}${key}`).toString('hex');
}

/** By chain; those of one chain in their order. */
export function inChainOrder(drafts: readonly FactDraft[]): FactDraft[] {
  const named = drafts.map((draft) => ({ draft, chain: chainOf(draft) }));
  return named.sort((a, b) => (a.chain < b.chain ? -1 : Number(a.chain > b.chain))).map(({ draft }) => draft);
}

export function* batchesOf(drafts: readonly FactDraft[]): Generator<FactDraft[]> {
  let batch: FactDraft[] = [];
  let text = 0;
  for (const draft of drafts) {
    if (batch.length === MAX_BATCH || (text + draft.value.length > MAX_BATCH_TEXT && batch.length > 0)) {
      yield batch;
      batch = [];
      text = 0;
    }
    batch.push(draft);
    text += draft.value.length;
  }
  if (batch.length > 0) yield batch;
}

/** Which facts of a batch are new, and how many of them take the place of what the tenant had before the import. */
export class PackFactPlan {
  readonly drafts: FactDraft[] = [];
  superseded = 0;
  /** Of a chain that this batch writes: its last value, and all that it has had. */
  private readonly written = new Map<string, { last: string; had: Set<string> }>();

  /** @param touched chains that batches before it wrote */
  constructor(batch: readonly FactDraft[], matches: readonly FactMatch[], touched: ReadonlySet<string>) {
    for (const [place, draft] of batch.entries()) this.take(draft, matches[place]!, touched);
  }

  private take(draft: FactDraft, match: FactMatch, touched: ReadonlySet<string>): void {
    const chain = chainOf(draft);
    const written = this.written.get(chain);
    const version = JSON.stringify([draft.value, draft.valid_from]);
    const isLast = written ? written.last === draft.value : match.isLatest;
    const wasThere = match.isEarlier || (draft.valid_from !== undefined && written?.had.has(version) === true);
    if (isLast || wasThere) return;
    if (!written && match.isHeld && !touched.has(chain)) this.superseded += 1;
    this.drafts.push(draft);
    this.written.set(chain, { last: draft.value, had: (written?.had ?? new Set()).add(version) });
  }
}
