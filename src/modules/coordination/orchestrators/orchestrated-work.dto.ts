import { Choice, FreeObject, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { NextCursor, PageCount } from '../../../common/fields/page.dto.js';
import { OrchestratorMember } from './orchestrators.dto.js';
import { ORCHESTRATOR_STATES, type OrchestratorState } from './orchestrators.types.js';

/** A work item that is a member. */
export class OrchestratedItem {
  @Text({ about: 'The work item.' })
  work_id!: string;

  @Text({ about: 'The project it belongs to.' })
  project_id!: string;

  @Text({ about: 'Its title.' })
  title!: string;

  @Text({ about: 'Its state; `ready` where the lease on it has expired.' })
  state!: string;

  @Text({ about: 'Who it is assigned to; null: nobody.', nullable: true })
  assignee_passport!: string | null;

  @Integer({ about: 'From 0, the most urgent, to 4.', min: 0, max: 4 })
  priority!: number;
}

/** An orchestrator that is a member. */
export class NestedOrchestrator {
  @Text({ about: 'What it is called.' })
  name!: string;

  @Choice({ about: 'Its state.', values: ORCHESTRATOR_STATES })
  state!: OrchestratorState;
}

export class WorkMember extends OrchestratorMember {
  @Text({ about: 'The orchestrator that it is a member of: the one asked for, or one below it.' })
  orchestrator_id!: string;

  @Nested({
    about: 'The item, of a member of type work; otherwise null.',
    type: () => OrchestratedItem,
    nullable: true,
  })
  work!: OrchestratedItem | null;

  @Nested({
    about: 'That orchestrator, of a member of type orchestrator; otherwise null.',
    type: () => NestedOrchestrator,
    nullable: true,
  })
  orchestrator!: NestedOrchestrator | null;

  @FreeObject({
    about:
      'How many work items are behind the member, by state: the item itself, what is assigned to the passport, or all that is below the orchestrator.',
    example: { ready: 2, in_progress: 1 },
  })
  states!: Record<string, number>;
}

export class OrchestratedWork {
  @Text({ about: 'The orchestrator that was asked for.' })
  orchestrator_id!: string;

  @ListOf({
    about: 'Its members and those of all orchestrators below it, by orchestrator_id and ref.',
    type: () => WorkMember,
  })
  members!: WorkMember[];

  @PageCount()
  count!: number;

  @FreeObject({
    about: 'How many work items are behind all of them, by state, whatever the page: each item counts once.',
    example: { ready: 2, in_progress: 1 },
  })
  states!: Record<string, number>;

  @NextCursor()
  next_cursor!: string | null;
}
