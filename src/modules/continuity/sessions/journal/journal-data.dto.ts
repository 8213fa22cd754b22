import { Choice, FreeObject, Integer, Text } from '../../../../common/fields/fields.js';
import {
  PROOF_MODES,
  SUBJECT_TYPES,
  VERDICTS,
  type ProofMode,
  type SubjectType,
} from '../../../knowledge/proofs/proofs.types.js';
import {
  SEVERITIES,
  WATCH_TARGETS,
  type PostedType,
  type ProofCompletedData,
  type SchemaAdoptedData,
  type Severity,
  type WatchAlertData,
  type WatchTarget,
} from './journal.types.js';

const ENDED = VERDICTS.filter((verdict) => verdict !== 'pending');

export class WatchAlertEvent implements WatchAlertData {
  @Text({ about: 'The watch; the subject of the entry.', min: 1, max: 512 })
  watchId!: string;

  @Text({ about: 'The alert, where the watch gave it an id.', optional: true, min: 1, max: 512 })
  alertId?: string;

  @Choice({ about: 'What is watched.', values: WATCH_TARGETS })
  targetType!: WatchTarget;

  @Text({ about: 'Which of them.', min: 1, max: 2000 })
  targetId!: string;

  @Text({
    about: 'What has changed, in snake case.',
    pattern: /^[a-z][a-z0-9_]{0,63}$/,
    example: 'new_version',
  })
  change!: string;

  @Choice({ about: 'How much it matters.', values: SEVERITIES, optional: true })
  severity?: Severity;

  @Text({ about: 'In words; the session context shows it.', optional: true, min: 1, max: 2000 })
  summary?: string;

  @FreeObject({ about: "The sender's own, kept with the entry.", optional: true })
  details?: Record<string, unknown>;
}

export class ProofCompletedEvent implements ProofCompletedData {
  @Text({ about: 'The proof job; the subject of the entry.', min: 1, max: 512 })
  jobId!: string;

  @Choice({ about: 'What the proof found.', values: ENDED })
  verdict!: ProofCompletedData['verdict'];

  @Choice({ about: 'How much was checked.', values: PROOF_MODES, optional: true })
  mode?: ProofMode;

  @Choice({ about: 'What kind of thing was proven.', values: SUBJECT_TYPES, optional: true })
  subjectType?: SubjectType;

  @Text({ about: 'Which of them.', optional: true, min: 1, max: 2000 })
  subjectId?: string;

  @Integer({ about: 'Its version.', optional: true, min: 1, max: 2_147_483_647 })
  subjectVersion?: number;

  @Text({ about: 'The signed receipt of the proof.', optional: true, min: 1, max: 512 })
  receiptId?: string;
}

export class SchemaAdoptedEvent implements SchemaAdoptedData {
  @Text({ about: 'The schema; the subject of the entry.', min: 1, max: 200, example: 'trip-report' })
  name!: string;

  @Text({ about: 'Its version, as the agent counts them.', min: 1, max: 100, example: '2.1.0' })
  version!: string;

  @Text({
    about: 'Digest of its text, with the name of the algorithm.',
    optional: true,
    max: 200,
    pattern: /^[a-z0-9-]{2,32}:[0-9a-f]{32,128}$/,
    example: `sha256:${'0'.repeat(64)}`,
  })
  digest?: string;

  @Text({ about: 'Why it was adopted.', optional: true, min: 1, max: 2000 })
  note?: string;
}

/** What the data of each postable type is read as. */
export const POSTED_CLASSES = {
  watch_alert: WatchAlertEvent,
  proof_completed: ProofCompletedEvent,
  schema_adopted: SchemaAdoptedEvent,
} satisfies Record<PostedType, unknown>;
