import type { FastifyReply } from 'fastify';
import type { EngramLabelRow } from './engram-label.entity.js';
import type { EngramLabel, EngramRecord, EngramWithContent } from './engrams.dto.js';
import { ENGRAM_KIND, type Engram } from './engrams.types.js';
import { chunkSetHashOf } from './resolve.rules.js';

export const recordOf = (engram: Engram): EngramRecord => ({
  id: `${ENGRAM_KIND}:${engram.name}`,
  name: engram.name,
  version: engram.version,
  description: engram.description,
  enabled: engram.enabled,
  intent_bucket: engram.intentBucket,
  query_pattern: engram.queryPattern,
  capability_class_min: engram.classMin,
  capability_class_max: engram.classMax,
  generated_class: engram.generatedClass,
  inherited_reason: engram.inheritedReason,
  policy_hash: engram.policyHash,
  prompt_hash: engram.promptHash,
  source_chunk_hashes: [...engram.sourceChunkHashes],
  source_chunk_set_hash: chunkSetHashOf(engram.sourceChunkHashes),
  hash: engram.hash,
  source: engram.source,
  created_at_unix_ms: Math.trunc(engram.createdAt.getTime()),
  created_by: engram.createdBy,
});

export const withContent = (engram: Engram): EngramWithContent => ({ ...recordOf(engram), content: engram.content });

export const labelOf = (row: EngramLabelRow): EngramLabel => ({
  label: row.label,
  engram_version: row.engramVersion,
  version: row.version,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  moved_by: row.movedBy,
  moved_at: row.movedAt.toISOString(),
  receipt_id: row.receiptId,
});

/** The answer, with its set hash as the ETag. */
export function tagged<T extends { engram_set_hash: string }>(reply: FastifyReply, answer: T): T {
  void reply.header('etag', `"${answer.engram_set_hash}"`);
  return answer;
}
