import { blake3Digest } from '../../../evidence/digest.js';
import type { OwnedFact, OwnedVersion } from '../../memory/facts/owned-facts.types.js';
import type { LayerPart } from './effective.dto.js';
import type { Layer, LayerVersion } from './layers.dto.js';
import type { LayerText } from './layers.types.js';

export const layerOf = (fact: OwnedFact): Layer => ({
  layer: fact.key,
  content: fact.value,
  version: fact.version,
  count: fact.version,
  fact_id: fact.fact_id,
  stored_at: fact.stored_at.toISOString(),
  private: fact.private,
  bytes: fact.bytes,
  hash: blake3Digest(fact.value),
  written_by: fact.written_by,
  receipt_id: fact.receipt_id,
});

/** @param content null of a deletion */
export const versionOf = (row: OwnedVersion, content: string | null): LayerVersion => ({
  version: row.version,
  fact_id: row.fact_id,
  cleared: row.tombstone,
  content,
  bytes: row.bytes,
  hash: content === null ? null : blake3Digest(content),
  stored_at: row.stored_at.toISOString(),
  written_by: row.written_by,
  receipt_id: row.receipt_id,
});

export const partOf = ({ layer, origin, entity, fact, hash }: LayerText): LayerPart => ({
  ...{ layer, origin, entity, hash },
  ...{ fact_id: fact.fact_id, version: fact.version, bytes: fact.bytes },
});
