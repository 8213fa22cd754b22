import {
  Choice,
  DateTime,
  Flag,
  FreeObject,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../common/fields/fields.js';
import { PASSPORT } from '../../../common/fields/passport.js';
import { WorkbenchAnswer } from './workbench.dto.js';

const optional = true;
const nullable = true;

export class HandoffRequest {
  @Text({ about: 'Only what is of this project.', optional, min: 1, max: 128 })
  project_id?: string;

  @Text({
    about: 'Whose work is handed over; the acting passport when absent, and no other than that.',
    ...{ optional, max: 128, pattern: PASSPORT },
  })
  from_passport?: string;

  @Text({ about: 'Who takes it over, for the record.', optional, max: 128, pattern: PASSPORT })
  to_passport?: string;

  @Text({
    about: 'The session that ends; that of X-Svc-Session-Id when absent. Its receipts are shown first.',
    ...{ optional, max: 128, pattern: /^[A-Za-z0-9._:-]{1,128}$/ },
  })
  session_id?: string;

  @Text({ about: 'What whoever takes over should know.', optional, min: 1, max: 8192 })
  note?: string;

  @Integer({ about: 'Items of each kind at most.', min: 1, max: 200, default: 50 })
  limit!: number;
}

export class HandoffLease {
  @Choice({ about: 'What it is of.', values: ['work', 'path'] })
  kind!: string;

  @Text({ about: 'The id of the work item, or the path.' })
  subject!: string;

  @Text({ about: 'How it is held.' })
  mode!: string;

  @Integer({ about: 'The fence: a writer sends it as X-Svc-Fence, and the one who takes over gets another.' })
  fence!: number;

  @Text({ about: 'Who holds it.' })
  holder_passport!: string;

  @DateTime({ about: 'Until when.' })
  expires_at!: string;
}

export class HandoffWork {
  @Text({ about: 'The item.' })
  work_id!: string;

  @Text({ about: 'Its project.' })
  project_id!: string;

  @Text({ about: 'What is to be done.' })
  title!: string;

  @Text({ about: 'Its state.' })
  state!: string;

  @Text({ about: 'Whose it is.', nullable })
  assignee_passport!: string | null;

  @Integer({ about: 'How urgent it is: 0 the most, 4 the least.' })
  priority!: number;

  @Integer({ about: 'Items that block it and are open.' })
  open_blockers!: number;

  @Text({ about: 'What it waits for.', nullable })
  blocker_reason!: string | null;

  @Integer({ about: 'The fence of its live lease.', nullable })
  fence!: number | null;

  @Integer({ about: 'Counts its changes.' })
  version!: number;
}

export class HandoffGate {
  @Text({ about: 'The gate.' })
  action_id!: string;

  @Text({ about: 'The item that it is about.' })
  work_id!: string;

  @Text({ about: 'Who asked.' })
  requested_by!: string;

  @FreeObject({ about: 'What the item is to have.' })
  after!: Record<string, unknown>;

  @TextList({ about: 'Who may decide; `*` is anyone but who asked.' })
  may_decide!: string[];

  @DateTime({ about: 'When it lapses.' })
  expires_at!: string;
}

export class HandoffReceipt {
  @Text({ about: 'The receipt.' })
  receipt_id!: string;

  @Text({ about: 'What happened.' })
  kind!: string;

  @Text({ about: 'What it is about.', nullable })
  subject!: string | null;

  @Text({ about: 'The session that it names.', nullable })
  session!: string | null;

  @DateTime({ about: 'When it happened.' })
  occurred_at!: string;
}

export class HandoffIntent {
  @Text({ about: 'The session that announced it.' })
  session_id!: string;

  @TextList({ about: 'The paths.' })
  paths!: string[];

  @DateTime({ about: 'Until when it counts.' })
  expires_at!: string;
}

export class Handoff extends WorkbenchAnswer {
  @Choice({ about: 'The form of this answer.', values: ['svc.workbench.handoff/2'] })
  schema!: 'svc.workbench.handoff/2';

  @Uuid({ about: 'The handoff.' })
  handoff_id!: string;

  @Text({ about: 'Who hands over.' })
  from!: string;

  @Text({ about: 'Who takes over.', nullable })
  to_passport!: string | null;

  @Text({ about: 'The session that ends.', nullable })
  session_id!: string | null;

  @Text({ about: 'What whoever takes over should know.', nullable })
  note!: string | null;

  @ListOf({ about: 'Open work, the urgent first.', type: () => HandoffWork })
  open_work!: HandoffWork[];

  @ListOf({ about: 'Live leases of who hands over.', type: () => HandoffLease })
  leases!: HandoffLease[];

  @ListOf({ about: 'Gates that wait for a decision.', type: () => HandoffGate })
  pending_gates!: HandoffGate[];

  @ListOf({ about: 'Live intents of who hands over, or of the session.', type: () => HandoffIntent })
  intents!: HandoffIntent[];

  @ListOf({ about: 'The last receipts of who hands over, the newest first.', type: () => HandoffReceipt })
  last_receipts!: HandoffReceipt[];

  @Flag({ about: 'Whether there is more than is shown.' })
  truncated!: boolean;

  @Text({ about: 'BLAKE3 of the handed-over members in canonical JSON: both sides can name what was handed over.' })
  handoff_hash!: string;

  @Nested({
    about: 'The step that was written; null while SVCD_HANDOFF_OBSERVATIONS is off.',
    type: () => HandoffObservation,
    nullable,
  })
  observation!: HandoffObservation | null;

  @DateTime({ about: 'When it was made.' })
  made_at!: string;
}

export class HandoffObservation {
  @Text({ about: 'The observed session.' })
  session_id!: string;

  @Text({ about: 'The step.' })
  node_id!: string;
}
