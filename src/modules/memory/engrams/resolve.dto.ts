import { Choice, ListOf, Nested, Text, TextList, Uuid } from '../../../common/fields/fields.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';
import { EngramWithContent, LabelField } from './engrams.dto.js';
import { CAPABILITY_CLASSES, GENERATED_CLASSES, type CapabilityClass, type GeneratedClass } from './engrams.types.js';

export const MANIFEST_STATES = ['match', 'stale', 'unknown'] as const;
const MAX_NAMES = 200;
const optional = true;

const TenantName = (about: string) => TenantIdMember(about, { optional: true, example: 'default' });
const AgentName = (about: string) => Text({ about, optional, min: 1, max: 200, example: 'codex:7' });
const ModelName = (about: string) => Text({ about, optional, min: 1, max: 200, example: 'gpt-5-mini' });

/** Who asks, in either spelling. */
export class AgentBody {
  @TenantName('The tenant; the one of the credential when absent.')
  tenant_id?: string;

  @TenantName('Another spelling of tenant_id; send one of the two.')
  tenantId?: string;

  @AgentName('The agent that will work with it.')
  agent_id?: string;

  @AgentName('Another spelling of agent_id; send one of the two.')
  agentId?: string;

  @ModelName('The model that will read it: what its class does not fit is left out.')
  model_id?: string;

  @ModelName('Another spelling of model_id; send one of the two.')
  modelId?: string;
}

export class ResolveEngrams extends AgentBody {
  @TextList({
    about: 'The engrams that are wanted; all that are switched on and fit the model when absent.',
    optional,
    minItems: 1,
    max: 64,
    maxItems: MAX_NAMES,
  })
  names?: string[];

  @LabelField('The versions that this label points at instead of the newest ones.', { optional })
  label?: string;

  @Text({ about: 'The manifest_hash of an earlier answer, to be compared.', optional, min: 1, max: 200 })
  manifest_hash?: string;
}

export class WhyEngram {
  @Text({ about: 'The engram.' })
  name!: string;

  @Text({ about: 'Why it applies, or why it is left out.' })
  why!: string;
}

/** How to look up the receipt. */
export class ReceiptLinkage {
  @Uuid({ about: 'The receipt.' })
  receipt_id!: string;

  @Uuid({ about: 'The event of the same transaction.' })
  event_id!: string;

  @Text({ about: 'The kind of both.' })
  kind!: string;

  @Text({ about: 'What both name: the engram_set_hash.' })
  subject!: string;

  @Text({ about: 'The address that verifies the receipt.' })
  verification!: string;
}

export class ResolvedEngrams {
  @ListOf({ about: 'The engrams with their contents, by name.', type: () => EngramWithContent })
  engrams!: EngramWithContent[];

  @Text({ about: 'BLAKE3 of the JCS array of [name, version, hash], sorted by name. The ETag of the answer.' })
  engram_set_hash!: string;

  @Text({ about: 'The hash to send as manifest_hash next time: the engram_set_hash.' })
  manifest_hash!: string;

  @Choice({
    about: 'The manifest_hash that was sent: `match` is this set, `stale` another one, `unknown` when none was sent.',
    values: MANIFEST_STATES,
  })
  manifest_status!: (typeof MANIFEST_STATES)[number];

  @Choice({ about: 'The class of the model; standard for one that is not known.', values: CAPABILITY_CLASSES })
  capability_class!: CapabilityClass;

  @ListOf({ about: 'Why each of them applies.', type: () => WhyEngram })
  applicable_why!: WhyEngram[];

  @ListOf({ about: 'What was left out, and why.', type: () => WhyEngram })
  left_out!: WhyEngram[];

  @Choice({ about: 'inherited when one of them is, else derived when one is.', values: GENERATED_CLASSES })
  generated_class!: GeneratedClass;

  @Text({ about: 'The reasons of the inherited ones.', nullable: true })
  inherited_reason!: string | null;

  @Text({
    about: 'The policy_hash that they share; where they have several, BLAKE3 of the JCS array of them, sorted.',
    nullable: true,
  })
  policy_hash!: string | null;

  @Text({ about: 'The prompt_hash, in the same way.', nullable: true })
  prompt_hash!: string | null;

  @TextList({ about: 'Digests of what they were made from, sorted.' })
  source_chunk_hashes!: string[];

  @Text({ about: 'BLAKE3 of the JCS array of those; null without any.', nullable: true })
  source_chunk_set_hash!: string | null;

  @Uuid({ about: 'The signed receipt of what was given out.' })
  receipt_id!: string;

  @Nested({ about: 'How to look it up.', type: () => ReceiptLinkage })
  receipt_linkage!: ReceiptLinkage;

  @Text({ about: 'The agent that was named.', nullable: true })
  agent_id!: string | null;

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Text({ about: '`svc.engrams-resolved/1`.' })
  schema!: string;
}
