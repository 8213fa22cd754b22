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
import { assemble } from './assembly.rules.js';
import { ContextGatherService } from './context-gather.service.js';
import type { AssembledContext, ContextRequest } from './context.dto.js';
import { CONTEXT_KINDS, type Candidate, type ContextKind, type CountedCandidate } from './context.types.js';

const MAX_OMITTED = 200;

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
    if (!this.keeps) return this.make(caller, tenantId, request, kinds);
    const key = await this.keyOf(caller, tenantId, request, kinds);
    const kept = await this.cache.find(tenantId, key);
    if (kept) return kept;
    const snapshot = await this.cache.snapshot(tenantId);
    const context = await this.make(caller, tenantId, request, kinds);
    this.cache.keep(key, snapshot, context);
    return context;
  }

  private async make(
    caller: DaemonCaller,
    tenantId: string,
    request: ContextRequest,
    kinds: readonly ContextKind[],
  ): Promise<AssembledContext> {
    const { task, token_budget: budget } = request;
    const gathered = await this.gathering.gather(caller, tenantId, request, kinds);
    const { items, omitted, tokens } = assemble(await countAll(gathered.candidates), budget);
    const all = [...gathered.omitted, ...omitted];
    return {
      schema: 'svc.context/1',
      task,
      items,
      total_tokens: tokens,
      token_budget: budget,
      omitted: all.slice(0, MAX_OMITTED),
      omitted_count: all.length,
      context_hash: blake3Digest(
        canonicalJson({
          ...requestOf(request, kinds),
          items: items.map(({ kind, id, hash }) => ({ kind, id, hash })),
        }),
      ),
      cached: false,
      assembled_at: new Date().toISOString(),
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

async function countAll(candidates: readonly Candidate[]): Promise<CountedCandidate[]> {
  const counted: CountedCandidate[] = [];
  for (const candidate of candidates) counted.push({ ...candidate, tokens: await countTokens(candidate.text) });
  return counted;
}
