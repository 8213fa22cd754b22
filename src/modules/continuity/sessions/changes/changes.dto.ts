import { Choice, DateTime, Integer, ListOf, Nested, Text, Uuid } from '../../../../common/fields/fields.js';
import { ProofSubject } from '../../../knowledge/proofs/proofs.dto.js';
import { PROOF_MODES, VERDICTS, type ProofMode, type Verdict } from '../../../knowledge/proofs/proofs.types.js';
import { WatchAlert } from '../../watches/watch-alerts.dto.js';
import { TARGET_TYPES, type TargetType } from '../../watches/watches.types.js';

export class ChangesQuery {
  @DateTime({ about: 'Only what was noticed at this time or later; absent: everything.', optional: true })
  since?: string;

  @Integer({ about: 'How many changes at most.', min: 1, max: 50, default: 20 })
  limit!: number;

  @Text({ about: 'The next_cursor of the page before; absent for the first page.', optional: true, min: 1, max: 2048 })
  cursor?: string;
}

export class ChangedText {
  @Text({ about: 'The passage before; null where there was none.', nullable: true })
  chunkId!: string | null;

  @Text({ about: 'The passage that stands in its place; null where there is none.', nullable: true })
  newChunkId!: string | null;

  @Text({ about: 'Corpus of the document.' })
  corpusId!: string;

  @Text({ about: 'The document.' })
  docId!: string;

  @Text({ about: 'Title of the document.', nullable: true })
  title!: string | null;

  @Text({ about: 'Address of the document.', nullable: true })
  url!: string | null;

  @Text({ about: 'The text before; null where there was none, or the tenant may not read it.', nullable: true })
  oldText!: string | null;

  @Text({ about: 'The text now; null where there is none, or the tenant may not read it.', nullable: true })
  newText!: string | null;
}

export class AlertOfChange extends WatchAlert {
  @Choice({ about: 'What kind of thing is watched.', values: TARGET_TYPES })
  targetType!: TargetType;

  @Text({ about: 'What is watched.' })
  targetId!: string;

  @Text({ about: 'What the watch is for.', nullable: true })
  note!: string | null;

  @ListOf({
    about: 'The passages with their texts, before and now; of an alert by a proof those that did not pass.',
    type: () => ChangedText,
  })
  texts!: ChangedText[];
}

export class AnswerOfChange {
  @Text({ about: 'The answer.' })
  answerId!: string;

  @Integer({ about: 'Its new version.', min: 2 })
  version!: number;

  @Integer({ about: 'The version that it replaced.', min: 1 })
  retiredVersion!: number;

  @Uuid({ about: 'The receipt of the new version.' })
  receiptId!: string;
}

export class ProofOfChange {
  @Uuid({ about: 'The job.' })
  jobId!: string;

  @Choice({ about: 'How it ended.', values: ['completed', 'failed'] })
  status!: 'completed' | 'failed';

  @Choice({ about: 'What it found; pending where it failed.', values: VERDICTS })
  verdict!: Verdict;

  @Choice({ about: 'How much was checked.', values: PROOF_MODES })
  mode!: ProofMode;

  @Nested({ about: 'What was proven.', type: () => ProofSubject })
  subject!: ProofSubject;

  @Uuid({ about: 'The receipt `proof.completed`; null where it failed.', nullable: true })
  receiptId!: string | null;
}

export class HomeChange {
  @Choice({ about: 'Which of the other members is there.', values: ['alert', 'answer', 'proof'] })
  type!: 'alert' | 'answer' | 'proof';

  @DateTime({ about: 'When it was noticed.' })
  at!: string;

  @Nested({ about: 'An alert of a watch.', type: () => AlertOfChange, nullable: true })
  alert!: AlertOfChange | null;

  @Nested({ about: 'A version of an answer that was replaced.', type: () => AnswerOfChange, nullable: true })
  answer!: AnswerOfChange | null;

  @Nested({ about: 'A proof that ended.', type: () => ProofOfChange, nullable: true })
  proof!: ProofOfChange | null;
}

export class ChangeList {
  @ListOf({ about: 'Changes, newest first.', type: () => HomeChange })
  changes!: HomeChange[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}
