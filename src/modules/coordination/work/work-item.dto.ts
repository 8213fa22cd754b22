import { Choice, DateTime, Flag, Integer, Nested, Text, TextList } from '../../../common/fields/fields.js';
import { BLOCK_KINDS, WORK_STATES, type BlockKind, type WorkState } from './work.types.js';

const nullable = true;

export class WorkLease {
  @Integer({ about: 'Its fence: send it as X-Svc-Fence with what you write under it.', min: 1 })
  fence!: number;

  @Text({ about: 'The passport that holds it.' })
  holder_passport!: string;

  @DateTime({ about: 'When it is over.' })
  expires_at!: string;
}

export class WorkItem {
  @Text({ about: 'Its id.' })
  id!: string;

  @Text({ about: 'The same id, as the answers about the item name it.' })
  work_id!: string;

  @Text({ about: 'The tenant it belongs to.' })
  tenant_id!: string;

  @Text({ about: 'Its project; of a plan file the first folder, else the name of the file.' })
  project_id!: string;

  @Text({ about: 'What is to be done, in a line.' })
  title!: string;

  @Text({ about: 'All there is to say of it; in a list the first 1,000 characters.' })
  body!: string;

  @Flag({ about: 'Whether the body goes on: GET /v1/work/{id} has all of it.' })
  body_truncated!: boolean;

  @Choice({ about: 'Its state; `ready` too where it is in progress under a lease that is over.', values: WORK_STATES })
  state!: WorkState;

  @Text({ about: 'Who created it.' })
  created_by_passport!: string;

  @Text({ about: 'Whose it is.', nullable })
  assignee_passport!: string | null;

  @Text({ about: 'The pull request it is done in.', nullable })
  linked_pr!: string | null;

  @Text({ about: 'The issue it comes from.', nullable })
  linked_issue!: string | null;

  @Text({ about: 'What it waits for.', nullable })
  blocker_reason!: string | null;

  @Choice({ about: 'What it waits for, as a kind.', values: BLOCK_KINDS, nullable })
  blocker_kind!: BlockKind | null;

  @Integer({ about: 'How urgent it is: 0 the most, 4 the least.', min: 0, max: 4 })
  priority!: number;

  @TextList({ about: 'Its labels.' })
  labels!: string[];

  @Integer({ about: 'Items that block it and are neither done nor cancelled.', min: 0 })
  open_blockers!: number;

  @Flag({ about: 'Whether it can be begun: it is ready and nothing open blocks it.' })
  ready!: boolean;

  @Nested({ about: 'Who works on it under a lease, until when; null: nobody.', type: () => WorkLease, nullable })
  lease!: WorkLease | null;

  @Choice({ about: 'Where it comes from.', values: ['kanban', 'plans'] })
  source!: 'kanban' | 'plans';

  @Integer({ about: 'Counts its changes.', min: 1 })
  version!: number;

  @DateTime({ about: 'When it was created.' })
  created_at!: string;

  @DateTime({ about: 'When it was changed last.' })
  updated_at!: string;
}
