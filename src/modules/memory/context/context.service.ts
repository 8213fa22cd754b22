import { Inject, Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { countTokens } from '../../../common/tokens/tokenizer.js';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { EngramReadsService } from '../engrams/engram-reads.service.js';
import { AssemblyCache } from './assembly-cache.js';
import { assemble, type Choice } from './assembly.rules.js';
import { ContextGatherService } from './context-gather.service.js';
import type { AssembledContext, ContextRequest } from './context.dto.js';
import {
  CONTEXT_KINDS,
  type Candidate,
  type ChosenItem,
  type ContextKind,
  type CountedCandidate,
  type WholeContext,
} from './context.types.js';
import { viewOf } from './context.views.js';
import { itemsOf } from './excerpts.rules.js';

/** Puts a context together for a task (memory-daemon.md 4.12; D46). */
@Injectable()
export class ContextService {
  private readonly keeps: boolean;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly gathering: ContextGatherService,
    private readonly engrams: EngramReadsService,
    private readonly cache: AssemblyCache,
    @Inject(SETTINGS) { memory }: Settings,
  ) {
    this.keeps = memory.assemblyCache;
  }

  /** @throws ValidationFailed for a kind that there is not */
  async assemble(caller: DaemonCaller, request: ContextRequest): Promise<AssembledContext> {
    const kinds = kindsOf(request.include);
    const tenantId = await this.tenants.enter(caller);
    if (!this.keeps) return viewOf(await this.make(caller, tenantId, request, kinds), request);
    const key = await this.keyOf(caller, tenantId, request, kinds);
    const kept = await this.cache.find(tenantId, key);
    if (kept) return viewOf(kept, request);
    const snapshot = await this.cache.snapshot(tenantId);
    const context = await this.make(caller, tenantId, request, kinds);
    this.cache.keep(key, snapshot, context);
    return viewOf(context, request);
  }

  private async make(
    caller: DaemonCaller,
    tenantId: string,
    request: ContextRequest,
    kinds: readonly ContextKind[],
  ): Promise<WholeContext> {
    const gathered = await this.gathering.gather(caller, tenantId, request, kinds);
    const { chosen, omitted } = assemble(await countAll(gathered.candidates), request.token_budget);
    const items = await countWithin(chosen, request.token_budget);
    const bound = items.map(({ kind, id, hash, spans }) => ({ kind, id, hash, ...(spans ? { spans } : {}) }));
    return {
      items,
      omitted: [...gathered.omitted, ...omitted],
      hash: blake3Digest(canonicalJson({ ...requestOf(request, kinds), items: bound })),
      isCached: false,
      assembledAt: new Date(),
    };
  }

  /** Whose request it is, and what no event reports: the files of engrams, and the day that ages are counted from. */
  private async keyOf(
    { principal, isAdmin }: DaemonCaller,
    tenantId: string,
    request: ContextRequest,
    kinds: readonly ContextKind[],
  ): Promise<string> {
    const files = kinds.includes('engrams') ? await this.tenancy.run(tenantId, () => this.engrams.listFiles()) : [];
    const day = new Date().toISOString().slice(0, 10);
    const made = { tenant: tenantId, principal, isAdmin, day, files: files.map(({ name, hash }) => ({ name, hash })) };
    return blake3Digest(canonicalJson({ ...made, ...requestOf(request, kinds) }));
  }
}

/** In their own order, each once. @throws ValidationFailed */
function kindsOf(include: readonly string[] = CONTEXT_KINDS): ContextKind[] {
  const at = include.findIndex((kind) => !(CONTEXT_KINDS as readonly string[]).includes(kind));
  if (at >= 0) throw invalid(`body.include[${at}]`, `must be one of ${CONTEXT_KINDS.join(', ')}`);
  return CONTEXT_KINDS.filter((kind) => include.includes(kind));
}

const requestOf = (
  { task, project_id, session_id, token_budget }: ContextRequest,
  kinds: readonly ContextKind[],
): object => ({
  ...{ task, project_id: project_id ?? null, session_id: session_id ?? null, token_budget, include: [...kinds] },
});

/** Of a piece: with what stands for the words between it and the next. */
async function countAll(candidates: readonly Candidate[]): Promise<CountedCandidate[]> {
  const counted: CountedCandidate[] = [];
  for (const { pieces, ...item } of candidates) {
    const parts = [];
    for (const piece of pieces ?? [])
      parts.push({ ...piece, tokens: 1 + (await countTokens(`${item.text.slice(piece.start, piece.end)}\n`)) });
    const tokens = pieces ? parts.reduce((sum, part) => sum + part.tokens, 0) : await countTokens(item.text);
    counted.push({ ...item, tokens, ...(pieces ? { pieces: parts } : {}) });
  }
  return counted;
}

/**
 * The items with the tokens of what they show. Signs between pieces may take more than was thought: then fewer pieces.
 */
async function countWithin(chosen: readonly Choice[], budget: number): Promise<ChosenItem[]> {
  const items = itemsOf(chosen);
  for (const item of items) if (item.spans) item.tokens = await countTokens(item.text);
  const tokens = items.reduce((sum, item) => sum + item.tokens, 0);
  return tokens <= budget ? items : countWithin(chosen.slice(0, -1), budget);
}
