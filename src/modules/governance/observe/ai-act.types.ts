/** An article of Regulation (EU) 2024/1689 that a rule helps with, and since when it applies. */
export interface AiActArticle {
  readonly article: string;
  readonly title: string;
  /** Of systems of Annex III: the first date of the Regulation, and the one as amended in 2026. */
  readonly applied_first_from: string;
  readonly applies_from_annex_iii: string;
  /** Of systems of Annex I. */
  readonly applies_from_annex_i: string;
  readonly rules: readonly RuleName[];
}

export const RULE_NAMES = [
  ...(['tree_whole', 'steps_closed', 'times_in_order', 'high_risk_has_receipt', 'mutation_has_receipt'] as const),
  ...(['receipts_verify', 'human_decision_recorded'] as const),
] as const;
export type RuleName = (typeof RULE_NAMES)[number];

/**
 * Article 113, as amended by the Digital Omnibus on AI, adopted on 29 June 2026: requirements on high-risk systems
 * apply later than the 2 August 2026 of the first text.
 */
const DATES = {
  applied_first_from: '2026-08-02',
  applies_from_annex_iii: '2027-12-02',
  applies_from_annex_i: '2028-08-02',
};

export const AI_ACT_ARTICLES: readonly AiActArticle[] = [
  {
    ...{ article: 'Article 12(1)', title: 'Record-keeping: events are recorded over the lifetime', ...DATES },
    rules: ['tree_whole', 'steps_closed'],
  },
  {
    ...{ article: 'Article 12(2)', title: 'Record-keeping: events by which risks and operation are traced', ...DATES },
    rules: ['times_in_order', 'high_risk_has_receipt', 'mutation_has_receipt'],
  },
  {
    ...{ article: 'Article 14', title: 'Human oversight', ...DATES },
    rules: ['human_decision_recorded'],
  },
  {
    ...{ article: 'Article 19(1)', title: 'Automatically generated logs are kept', ...DATES },
    rules: ['receipts_verify'],
  },
];

export const articleOf = (rule: RuleName): string => AI_ACT_ARTICLES.find(({ rules }) => rules.includes(rule))!.article;

/** What both the report and the export say of themselves. */
export const AID =
  'An aid for whoever assesses: it says what of the record holds, and names the articles that it may help with. It is no conformity assessment, and no legal advice; the dates are those known on 2026-11-23.';
