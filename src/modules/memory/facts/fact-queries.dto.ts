import { Choice, DateTime, Decimal, Flag, Integer, Text } from '../../../common/fields/fields.js';
import { type Fit, FITS } from '../../../search/fit.types.js';
import { FactsReply } from './facts.dto.js';
import { FALLBACKS, type Fallback, MAX_ENTITY } from './facts.types.js';

/** What GET /v1/facts takes. */
export class FactsQuery {
  @Text({
    about: 'What is looked for, in words: facts come ranked. Without it they come newest first.',
    optional: true,
    min: 1,
    max: 4096,
  })
  query?: string;

  @Choice({
    about:
      'What comes where the query finds nothing, by words or by meaning: none, or newest: the newest facts under the other filters, within top_k and token_budget, with matched: false.',
    values: FALLBACKS,
    default: 'none',
  })
  fallback!: Fallback;

  @Flag({
    about:
      'Whether to look for related words too: synonyms and words next to them in WordNet, in English, which count less than those of the query.',
    default: false,
  })
  synonyms!: boolean;

  @Text({ about: 'Only facts about this entity.', optional: true, min: 1, max: MAX_ENTITY })
  entity?: string;

  @Text({ about: 'Only facts about entities that begin so.', optional: true, max: MAX_ENTITY })
  entity_prefix?: string;

  @Integer({ about: 'How many facts at most.', min: 1, max: 1000, default: 20 })
  top_k!: number;

  @Integer({
    about: 'Tokens of their values at most: of the top_k facts, in their order, those that still fit.',
    optional: true,
    min: 0,
    max: 2_147_483_647,
  })
  token_budget?: number;

  @Decimal({
    about: 'Only facts whose confidence, faded by their horizon_class until now or until as_of, is at least this.',
    optional: true,
    min: 0,
    max: 1,
  })
  min_effective_confidence?: number;

  @DateTime({
    about:
      'The facts as they held then: each record from its valid_from, or else from when it was stored, until its valid_to, its next version or its deletion.',
    optional: true,
  })
  as_of?: string;
}

export class FoundFactsReply extends FactsReply {
  @Integer({ about: 'The sum of their tokens.' })
  total_tokens!: number;

  @Flag({
    about:
      'Whether the facts are what the query found; false where it found none: with fallback=newest the newest facts come in their place. true without a query.',
  })
  matched!: boolean;

  @Choice({
    about:
      'With a query: whether the facts it found answer it. none: no fact does, by its words. weak: perhaps. strong: one has what was asked.',
    values: FITS,
    optional: true,
  })
  fit?: Fit;
}
