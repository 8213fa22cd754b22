import {
  Choice,
  Documented,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextOrTexts,
  Uuid,
} from '../../../common/fields/fields.js';

const MAX_TEXTS = 256;

export class EmbedRequest {
  @TextOrTexts({ about: 'What to embed.', maxItems: MAX_TEXTS, example: ['a lighthouse', 'a vessel at anchor'] })
  input!: string | string[];

  @Text({ about: 'SVC_EMBEDDINGS_MODEL, the only model there is; left out it is that.', optional: true })
  model?: string;

  @Choice({
    about: 'How vectors are written: a list of numbers, or 32-bit floats (little-endian) in base64.',
    values: ['float', 'base64'],
    default: 'float',
  })
  encoding_format!: 'float' | 'base64';
}

export class Embedding {
  @Choice({ about: 'What this is.', values: ['embedding'] })
  object!: 'embedding';

  @Integer({ about: 'Place of its text in `input`, from 0.' })
  index!: number;

  @Documented({
    about: 'A vector of unit length, as `encoding_format` has it.',
    schema: { oneOf: [{ type: 'array', items: { type: 'number' } }, { type: 'string' }] },
  })
  embedding!: number[] | string;
}

export class EmbeddingUsage {
  @Integer({ about: 'Tokens of the texts.' })
  prompt_tokens!: number;

  @Integer({ about: 'Tokens that the endpoint counts in all.' })
  total_tokens!: number;
}

/** What it cost. */
export class EmbeddingCredits {
  @Integer({ about: 'Credits that were taken.', min: 1 })
  spent!: number;

  @Integer({ about: 'What the caller could spend after that.', min: 0 })
  balance_after!: number;

  @Uuid({ about: 'The transfer in the ledger.' })
  transfer_id!: string;
}

/** The answer of OpenAI's embeddings API. */
export class EmbeddingList {
  @Choice({ about: 'What this is.', values: ['list'] })
  object!: 'list';

  @ListOf({ about: 'One vector a text, in the order of `input`.', type: () => Embedding })
  data!: Embedding[];

  @Text({ about: 'The model that made them.' })
  model!: string;

  @Nested({ about: 'As the endpoint counts; null where it does not.', type: () => EmbeddingUsage, nullable: true })
  usage!: EmbeddingUsage | null;

  @Nested({ about: 'Absent while SVCD_CREDIT_METER is off.', type: () => EmbeddingCredits, optional: true })
  credits?: EmbeddingCredits;
}

/** What is answered in place of vectors while there are none. */
export class CapabilityDisabled {
  @Flag({ about: 'false.' })
  enabled!: false;

  @Choice({ about: 'What is disabled.', values: ['compute:embed'] })
  capability!: 'compute:embed';

  @Text({ about: 'The setting that switches it on.', example: 'SVCD_COMPUTE_PROVIDER' })
  flag!: string;

  @Flag({ about: 'Whether there is an endpoint that could answer (SVC_EMBEDDINGS_URL).' })
  endpoint_configured!: boolean;

  @Text({ about: 'What to set for it to work.' })
  detail!: string;
}
