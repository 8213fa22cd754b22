import type { EngramWithContent } from '../../generated/daemon/types.gen.ts';

/** What a form has of an engram, each as it is typed. */
export interface EngramDraft {
  name: string;
  content: string;
  description: string;
  query_pattern: string;
  intent_bucket: string;
  capability_class_min: string;
  capability_class_max: string;
  enabled: boolean;
}

export type EngramPayload = Record<string, unknown>;

const ANY = 'any';
export const MODELS = [ANY, 'small', 'standard', 'large', 'frontier'].map((value) => ({ value, label: value }));

const EMPTY: EngramDraft = {
  ...{ name: '', content: '', description: '', query_pattern: '', intent_bucket: '' },
  ...{ capability_class_min: ANY, capability_class_max: ANY, enabled: true },
};

export const initialOf = (old: EngramWithContent | undefined): EngramDraft =>
  old === undefined ? EMPTY : draftOf(old);

const draftOf = ({ name, content, description, enabled, ...old }: EngramWithContent): EngramDraft => ({
  ...{ name, content, description, enabled },
  query_pattern: old.query_pattern ?? '',
  intent_bucket: old.intent_bucket ?? '',
  capability_class_min: old.capability_class_min ?? ANY,
  capability_class_max: old.capability_class_max ?? ANY,
});

/** Members with a value: an absent one and an empty one are not the same to the daemon. */
const given = (members: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  );

/** The payload of the entity. What the form has no field for stays as it was, as what the engram was made from. */
export const payloadOf = (draft: EngramDraft, old: EngramWithContent | undefined): EngramPayload => ({
  ...given({
    generated_class: old?.generated_class,
    inherited_reason: old?.inherited_reason,
    policy_hash: old?.policy_hash,
    prompt_hash: old?.prompt_hash,
    source_chunk_hashes: old?.source_chunk_hashes.length ? old.source_chunk_hashes : undefined,
    description: draft.description.trim(),
    query_pattern: draft.query_pattern.trim(),
    intent_bucket: draft.intent_bucket.trim(),
    capability_class_min: draft.capability_class_min === ANY ? undefined : draft.capability_class_min,
    capability_class_max: draft.capability_class_max === ANY ? undefined : draft.capability_class_max,
  }),
  content: draft.content,
  enabled: draft.enabled,
});
