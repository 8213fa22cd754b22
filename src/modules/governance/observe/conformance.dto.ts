import { Choice, Flag, Integer, ListOf, Text, TextList } from '../../../common/fields/fields.js';
import { RULE_NAMES, type RuleName } from './ai-act.types.js';

export class ConformanceFinding {
  @Choice({ about: 'The rule that does not hold.', values: RULE_NAMES })
  rule!: RuleName;

  @Text({ about: 'The step.' })
  node_id!: string;

  @Text({ about: 'The article that the rule helps with.' })
  article!: string;

  @Text({ about: 'What is wrong.' })
  detail!: string;
}

export class ConformanceRule {
  @Choice({ about: 'Its name.', values: RULE_NAMES })
  rule!: RuleName;

  @Text({ about: 'The article that it helps with.' })
  article!: string;

  @Flag({ about: 'Whether it holds for every step.' })
  holds!: boolean;

  @Integer({ about: 'How often it does not.', min: 0 })
  violations!: number;
}

export class AiActArticleView {
  @Text({ about: 'Of Regulation (EU) 2024/1689.', example: 'Article 14' })
  article!: string;

  @Text({ about: 'What it is about.' })
  title!: string;

  @Text({ about: 'From when it was to apply in the first text of the Regulation.' })
  applied_first_from!: string;

  @Text({ about: 'From when it applies to systems of Annex III, as amended.' })
  applies_from_annex_iii!: string;

  @Text({ about: 'From when it applies to systems of Annex I, as amended.' })
  applies_from_annex_i!: string;

  @TextList({ about: 'The rules that help with it.' })
  rules!: string[];
}

export class ConformanceReport {
  @Text({ about: 'The session.' })
  session_id!: string;

  @Flag({ about: 'Whether every rule holds.' })
  conforms!: boolean;

  @Integer({ about: 'Steps that were looked at: all there are.', min: 0 })
  steps_checked!: number;

  @Integer({ about: 'Receipts whose signature was verified again.', min: 0 })
  receipts_checked!: number;

  @ListOf({ about: 'Each rule.', type: () => ConformanceRule })
  rules!: ConformanceRule[];

  @ListOf({ about: 'What does not hold, in the order of the tree; 1,000 at most.', type: () => ConformanceFinding })
  findings!: ConformanceFinding[];

  @Flag({ about: 'Whether there are more findings than are shown.' })
  truncated!: boolean;

  @ListOf({ about: 'The articles that the rules help with, with dates.', type: () => AiActArticleView })
  ai_act_articles!: AiActArticleView[];

  @Text({ about: 'What this is, and what it is not.' })
  note!: string;

  @Text({ about: 'svc.observe.conformance/1' })
  schema!: string;
}
