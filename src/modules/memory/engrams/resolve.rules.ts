import { canonicalJson } from '../../../evidence/canonical-json.js';
import { blake3Digest, type Digest } from '../../../evidence/digest.js';
import type { Engram, GeneratedClass } from './engrams.types.js';
import type { AgentBody, MANIFEST_STATES } from './resolve.dto.js';

const SPELLINGS = [
  ['tenant_id', 'tenantId'],
  ['agent_id', 'agentId'],
  ['model_id', 'modelId'],
] as const;

/** Members of which both spellings were sent, and differ. */
export const differing = (body: AgentBody): string[] =>
  SPELLINGS.filter(
    ([one, other]) => body[one] !== undefined && body[other] !== undefined && body[one] !== body[other],
  ).map(([one]) => one);

/** Who asks, whatever the spelling. */
export const askerOf = (body: AgentBody): { tenantId?: string; agentId?: string; modelId?: string } => ({
  tenantId: body.tenant_id ?? body.tenantId,
  agentId: body.agent_id ?? body.agentId,
  modelId: body.model_id ?? body.modelId,
});

const digestOf = (value: unknown): Digest => blake3Digest(canonicalJson(value));
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const distinct = (values: readonly string[]): string[] => [...new Set(values)].sort(compare);

/** BLAKE3 of the JCS array of [name, version, hash], sorted by name (D43). */
export const setHashOf = (engrams: readonly Pick<Engram, 'name' | 'version' | 'hash'>[]): Digest =>
  digestOf(engrams.map(({ name, version, hash }) => [name, version, hash] as const).sort(([a], [b]) => compare(a, b)));

/** Of digests, sorted, each once; null without any. */
export const chunkSetHashOf = (hashes: readonly string[]): Digest | null =>
  hashes.length === 0 ? null : digestOf(distinct(hashes));

export const statusOf = (sent: string | undefined, now: string): (typeof MANIFEST_STATES)[number] =>
  sent === undefined ? 'unknown' : sent === now ? 'match' : 'stale';

/** What holds for engrams together. */
export interface SetFacts {
  generatedClass: GeneratedClass;
  inheritedReason: string | null;
  policyHash: string | null;
  promptHash: string | null;
  sourceChunkHashes: string[];
}

export function factsOfSet(engrams: readonly Engram[]): SetFacts {
  const classes = new Set(engrams.map(({ generatedClass }) => generatedClass));
  const reasons = distinct(engrams.flatMap(({ inheritedReason }) => inheritedReason ?? []));
  return {
    generatedClass: classes.has('inherited') ? 'inherited' : classes.has('derived') ? 'derived' : 'authored',
    inheritedReason: reasons.length === 0 ? null : reasons.join('; '),
    policyHash: oneOf(engrams.flatMap(({ policyHash }) => policyHash ?? [])),
    promptHash: oneOf(engrams.flatMap(({ promptHash }) => promptHash ?? [])),
    sourceChunkHashes: distinct(engrams.flatMap(({ sourceChunkHashes }) => sourceChunkHashes)),
  };
}

/** The one that there is; of several a hash over them. */
function oneOf(hashes: readonly string[]): string | null {
  const all = distinct(hashes);
  return all.length < 2 ? (all[0] ?? null) : digestOf(all);
}
