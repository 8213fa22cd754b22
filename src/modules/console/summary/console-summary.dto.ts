import { Choice, DateTime, Decimal, Flag, Integer, ListOf, Nested, Text, Uuid } from '../../../common/fields/fields.js';
import { WAITING_KINDS, type WaitingKind } from './console-summary.types.js';

export class FactCensus {
  @Integer({
    about:
      'Records on all pages of GET /v1/facts/list with include_superseded=0 for this caller, without reserved ones.',
  })
  shown!: number;

  @Integer({ about: 'The same with include_reserved.' })
  shown_with_reserved!: number;

  @Integer({
    about: 'The same with all versions: total_visible of the list with include_reserved and include_superseded.',
  })
  versions!: number;

  @Integer({ about: 'Stored records that are not deleted, whoever may see them: total_nondeleted of that list.' })
  stored!: number;
}

export class WaitingCounts {
  @Integer({ about: 'Candidates for facts.' })
  candidates!: number;

  @Integer({ about: 'Changes of work that wait at a gate.' })
  gates!: number;

  @Integer({ about: 'Calls that the shield holds.' })
  approvals!: number;

  @Integer({ about: 'Requests for passports.' })
  mint_requests!: number;

  @Integer({ about: 'Requests for access that came to this tenant.' })
  access_requests!: number;
}

export class SyncCounts {
  @Integer({ about: 'Peers that are not revoked.' })
  peers!: number;

  @Integer({ about: 'Records of which two versions stand against each other.' })
  conflicts!: number;

  @Integer({ about: 'Records that wait for a promotion.' })
  held!: number;
}

export class LastReceipt {
  @Text({ about: 'Its id.' })
  receipt_id!: string;

  @Text({ about: 'What happened.' })
  kind!: string;

  @Text({ about: 'Who did it.' })
  principal!: string;

  @DateTime({ about: 'When.' })
  occurred_at!: string;
}

export class ConsoleSummary {
  @Nested({ about: 'Shown against stored.', type: () => FactCensus })
  facts!: FactCensus;

  @Nested({ about: 'What waits for a decision; counted up to 1,000 each.', type: () => WaitingCounts })
  waiting!: WaitingCounts;

  @Integer({ about: 'Incidents that are not closed.' })
  open_incidents!: number;

  @Integer({ about: 'Legal holds in force.' })
  active_holds!: number;

  @Nested({ about: 'Synchronisation.', type: () => SyncCounts })
  sync!: SyncCounts;

  @ListOf({ about: 'The last five.', type: () => LastReceipt })
  last_receipts!: LastReceipt[];

  @Text({ about: 'What to ask for what is true of facts: this is a summary.' })
  authority!: string;
}

export class ConsoleFactsQuery {
  @Integer({ about: 'How many of the newest facts.', min: 1, max: 200, default: 20 })
  top_k!: number;
}

export class ConsoleFact {
  @Uuid({ about: 'Its id.' })
  fact_id!: string;

  @Text({ about: 'What it is of.' })
  entity!: string;

  @Text({ about: 'What of it.' })
  key!: string;

  @Text({ about: 'The first 200 characters.' })
  value!: string;

  @Decimal({ about: 'What is left of its confidence.' })
  score!: number;

  @DateTime({ about: 'When it was stored.' })
  stored_at!: string;

  @Flag({ about: 'Whether only its writer and admin scopes see it.' })
  private!: boolean;
}

export class ConsoleFacts {
  @ListOf({ about: 'The newest that hold, the surest first.', type: () => ConsoleFact })
  facts!: ConsoleFact[];

  @Integer({ about: 'How many they are.' })
  count!: number;

  @Text({ about: 'What to ask for what is true of facts: this is a summary.' })
  authority!: string;
}

export class ReviewQuery {
  @Integer({ about: 'How many at most.', min: 1, max: 200, default: 50 })
  limit!: number;
}

export class Decider {
  @Choice({ about: 'Which server has the routes: this daemon, or the tenant API.', values: ['daemon', 'api'] })
  server!: 'daemon' | 'api';

  @Text({ about: 'The route that lets it pass.' })
  approve!: string;

  @Text({ about: 'The route that refuses it; the same where the body says which.' })
  reject!: string;
}

export class WaitingItem {
  @Choice({ about: 'What it is.', values: WAITING_KINDS })
  kind!: WaitingKind;

  @Text({ about: 'Its id.' })
  id!: string;

  @Text({ about: 'What it is about: no values.' })
  title!: string;

  @Text({ about: 'Who asks.' })
  requested_by!: string;

  @DateTime({ about: 'Since when.' })
  waiting_since!: string;

  @DateTime({ about: 'When it lapses; null: it does not.', nullable: true })
  expires_at!: string | null;

  @Nested({ about: 'Where it is decided on.', type: () => Decider })
  decide!: Decider;
}

export class ReviewQueue {
  @ListOf({ about: 'The oldest first.', type: () => WaitingItem })
  items!: WaitingItem[];

  @Integer({ about: 'How many are in this answer.' })
  count!: number;

  @Flag({ about: 'Whether more wait.' })
  has_more!: boolean;
}
