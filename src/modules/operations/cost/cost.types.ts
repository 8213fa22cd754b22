/** What usage is grouped by. */
export const DIMENSIONS = ['day', 'model', 'passport', 'project', 'surface'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const COST_FORMATS = ['json', 'csv'] as const;
export type CostFormat = (typeof COST_FORMATS)[number];

/** Tokens of one model. */
export interface ModelTokens {
  model: string;
  tokensIn: bigint;
  tokensOut: bigint;
}

/** What a model costs, in millionths of the currency for a million tokens. */
export interface Price {
  /** Of the model; `*` stands for any characters. */
  pattern: string;
  inputMicros: bigint;
  outputMicros: bigint;
}

/** A price list of one currency. The first pattern that fits a model says what it costs. */
export interface PriceList {
  currency: string;
  prices: readonly Price[];
}

/** What tokens cost: exact, to the millionth of a millionth. */
export interface Money {
  currency: string;
  amount: string;
  /** Tokens of models that the list has no price for. */
  unpricedTokens: bigint;
}

/** An event of usage that is to be kept. */
export interface UsageDraft {
  source: string;
  event_id: string;
  happened_at: string;
  model: string;
  tokens_in: number;
  tokens_out: number;
  passport: string;
  project: string;
  surface: string;
}

/** Whose usage is reported, and of which days: from the first to the last, both included. */
export interface UsageFilter {
  from: string;
  to: string;
  model?: string | undefined;
  passport?: string | undefined;
  project?: string | undefined;
  surface?: string | undefined;
}

/** Usage of one group: its dimensions in the order that was asked for. */
export interface UsageGroup {
  key: string[];
  events: number;
  models: ModelTokens[];
}
