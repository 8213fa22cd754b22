export const GITHUB_ITEM_KINDS = ['issue', 'pull_request'] as const;
export type GithubItemKind = (typeof GITHUB_ITEM_KINDS)[number];

export const GITHUB_ITEM_STATES = ['open', 'closed', 'merged', 'deleted'] as const;
export type GithubItemState = (typeof GITHUB_ITEM_STATES)[number];

/**
 * What a delivery came to: `linked` (work items name it and its state is new, so that they got a comment), `recorded`
 * (noted), `stale` (something later is known), `ignored` (another event, or a delivery that was taken before).
 */
export const DELIVERY_OUTCOMES = ['linked', 'recorded', 'stale', 'ignored'] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** What GitHub says of a token. */
export interface GithubAccount {
  accountId: number;
  account: string;
  tokenScopes: string[];
  tokenExpiresAt: Date | null;
}

/** An issue or a pull request as one delivery reports it. */
export interface ReportedItem {
  kind: GithubItemKind;
  repositoryId: number;
  repository: string;
  number: number;
  title: string;
  url: string;
  state: GithubItemState;
  changedAt: Date;
}
