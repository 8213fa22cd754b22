import { Choice, DateTime, Flag, Integer, ListOf, Nested, Text, Uuid } from '../../../common/fields/fields.js';
import { HasMore, NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { DIFF_PARTS } from '../../../common/diff/text-diff.types.js';
import { DossierHead, ShownClaim, ShownDossierStats } from './dossier.dto.js';
import {
  AGREEMENTS,
  CLAIM_STATES,
  DOSSIER_ORIGINS,
  type Agreement,
  type ClaimState,
  type DossierOrigin,
} from './dossiers.types.js';

export class DossiersPath {
  @Text({ about: 'The project.', min: 1, max: 63 })
  id!: string;
}

export class DossierPath extends DossiersPath {
  @Text({ about: 'The dossier.', min: 1, max: 128 })
  dossierId!: string;
}

export class DossierQuery extends PageQuery {
  @Text({ about: 'Only those of this agent.', optional: true, min: 1, max: 128 })
  agent_passport?: string;
}

export class DossierDiffQuery {
  @Text({ about: 'The dossier from which to compare.', min: 1, max: 128 })
  a!: string;

  @Text({ about: 'The dossier to compare with it.', min: 1, max: 128 })
  b!: string;
}

const Origin = () =>
  Choice({ about: 'Who made it: an agent that published it, or the server.', values: DOSSIER_ORIGINS });

export class Dossier extends DossierHead {
  @ListOf({ about: 'What is claimed, each with its state as of this reading.', type: () => ShownClaim })
  claims!: ShownClaim[];

  @Nested({ about: 'How many claims of each state there are now.', type: () => ShownDossierStats })
  stats!: ShownDossierStats;

  @Origin()
  origin!: DossierOrigin;

  @Text({ about: '`blake3:<hex>` of the canonical JSON of what was published; its receipt has it too.' })
  content_hash!: string;

  @Uuid({ about: 'The receipt of its publication.' })
  receipt_id!: string;

  @Text({ about: 'The principal that published it.' })
  created_by!: string;

  @DateTime({ about: 'When it was published.' })
  created_at!: string;
}

export class DossierSummary {
  @Text({ about: 'The dossier.' })
  dossier_id!: string;

  @Text({ about: 'Who says so.' })
  agent_passport!: string;

  @Integer({ about: 'When it was made, in Unix milliseconds.' })
  generated_at_unix_ms!: number;

  @Origin()
  origin!: DossierOrigin;

  @Integer({ about: 'How many claims it has.', min: 0 })
  claim_count!: number;

  @Uuid({ about: 'The receipt of its publication.' })
  receipt_id!: string;

  @DateTime({ about: 'When it was published.' })
  created_at!: string;
}

export class DossierList {
  @Text({ about: 'The project.' })
  project_id!: string;

  @ListOf({ about: 'The dossiers, newest first.', type: () => DossierSummary })
  dossiers!: DossierSummary[];

  @PageCount()
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class DossierStored {
  @Flag({ about: 'false: the same dossier was there already, and nothing changed.' })
  stored!: boolean;

  @Text({ about: 'The dossier.' })
  dossier_id!: string;

  @Text({ about: 'The passport that published it.' })
  agent!: string;

  @Integer({ about: 'How many claims it has.', min: 0 })
  claim_count!: number;

  @Uuid({ about: 'The receipt of its publication.' })
  receipt_id!: string;
}

export class TextDiffPart {
  @Choice({ about: 'On which side the words stand.', values: DIFF_PARTS })
  kind!: (typeof DIFF_PARTS)[number];

  @Text({ about: 'The words, spaces as they stand.' })
  text!: string;
}

export class ClaimListed {
  @Text({ about: 'The claim.' })
  claim_id!: string;

  @Text({ about: 'What it says.' })
  text!: string;
}

export class ClaimChanged {
  @Text({ about: 'The claim.' })
  claim_id!: string;

  @Text({ about: 'What it said.' })
  before!: string;

  @Text({ about: 'What it says now.' })
  after!: string;

  @ListOf({ about: 'The same, word by word.', type: () => TextDiffPart })
  parts!: TextDiffPart[];
}

export class DossierDiff {
  @Text({ about: 'The project.' })
  project_id!: string;

  @Text({ about: 'From which.' })
  a!: string;

  @Text({ about: 'To which.' })
  b!: string;

  @ListOf({ about: 'Claims that b alone has.', type: () => ClaimListed })
  added!: ClaimListed[];

  @ListOf({ about: 'Claims that a alone has.', type: () => ClaimListed })
  removed!: ClaimListed[];

  @ListOf({ about: 'Claims whose words differ.', type: () => ClaimChanged })
  changed!: ClaimChanged[];

  @Integer({ about: 'Claims that say the same in both.', min: 0 })
  unchanged!: number;
}

export class SubjectClaimShown {
  @Text({ about: 'The dossier.' })
  dossier_id!: string;

  @Text({ about: 'Who says so.' })
  agent_passport!: string;

  @Text({ about: 'The claim.' })
  claim_id!: string;

  @Text({ about: 'What it says.' })
  text!: string;

  @Choice({ about: 'As of this reading.', values: CLAIM_STATES })
  state!: ClaimState;
}

export class ReconcileRow {
  @Text({
    about: 'What they speak of: entity and key of a fact, a document, a work item, a receipt, or the claim itself.',
  })
  subject!: string;

  @ListOf({ about: 'What they say.', type: () => SubjectClaimShown })
  claims!: SubjectClaimShown[];

  @Choice({
    about:
      'only_one: one dossier speaks of it. contradict: two rest on different values of the fact, say different things under one claim_id without an anchor, or a dossier says that they do. agree: anything else.',
    values: AGREEMENTS,
  })
  agreement!: Agreement;

  @Text({ about: 'The same in words.' })
  why!: string;
}

export class Reconciliation {
  @Text({ about: 'The project.' })
  project_id!: string;

  @ListOf({
    about: 'The dossiers that were compared: the newest of each agent, of 20 at most.',
    type: () => DossierSummary,
  })
  dossiers!: DossierSummary[];

  @ListOf({ about: 'What they say, subject by subject, in the order of subjects.', type: () => ReconcileRow })
  rows!: ReconcileRow[];

  @PageCount()
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}
