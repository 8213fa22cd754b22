import { Choice, DateTime, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { PASSPORT } from '../../../common/fields/passport.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';
import { MEMBER_TYPES, ORCHESTRATOR_STATES, type MemberType, type OrchestratorState } from './orchestrators.types.js';

const MAX_NAME = 200;
const MAX_REF = 200;

const Passport = (about: string, more: { nullable?: true } = {}) =>
  Text({ about, optional: true, max: 128, pattern: PASSPORT, example: 'codex:7', ...more });
const State = (about: string) => Choice({ about, values: ORCHESTRATOR_STATES, optional: true });
const TenantId = (about: string) => TenantIdMember(about, { optional: true, example: 'default' });

export class OrchestratorPath {
  @Text({ about: 'The orchestrator.', min: 1, max: 120 })
  id!: string;
}

export class OrchestratorMemberPath extends OrchestratorPath {
  @Text({ about: 'The member: its passport, or the id of the work item or orchestrator.', min: 1, max: MAX_REF })
  ref!: string;
}

export class OrchestratorQuery extends PageQuery {
  @Passport('Only those that are assigned to this passport.')
  assignee?: string;

  @TenantId('The tenant whose orchestrators are meant; that of the credential when absent.')
  tenant_id?: string;

  @State('Only those in this state.')
  state?: OrchestratorState;
}

export class CreateOrchestrator {
  @Text({ about: 'What it is called; need not be unique.', min: 1, max: MAX_NAME, example: 'Release 2.4' })
  name!: string;

  @Passport('Who creates it; the acting passport of the request when absent, and no other than that.')
  created_by_passport?: string;

  @Passport('Who is in charge of it.')
  assignee_passport?: string;

  @TenantId('The tenant it belongs to; that of the credential when absent.')
  tenant_id?: string;

  @Choice({ about: 'The state it begins in.', values: ORCHESTRATOR_STATES, default: 'active' })
  state!: OrchestratorState;
}

export class ChangeOrchestrator {
  @Text({ about: 'Another name.', optional: true, min: 1, max: MAX_NAME })
  name?: string;

  @Passport('Who is in charge from now on; null for nobody.', { nullable: true })
  assignee_passport?: string | null;

  @State(
    'Another state. active: paused, done, archived; paused: active, done, archived; done: active, archived. An archived one stays so.',
  )
  state?: OrchestratorState;

  @Integer({
    about: 'The version that the change is meant for: 409 when there is a later one.',
    optional: true,
    min: 1,
    max: 2 ** 31 - 1,
  })
  base_version?: number;
}

export class AddOrchestratorMember {
  @Choice({ about: 'What ref names.', values: MEMBER_TYPES, default: 'passport' })
  member_type!: MemberType;

  @Text({
    about: 'A passport, or the id of a work item or of another orchestrator, which must be there.',
    min: 1,
    max: MAX_REF,
    example: 'codex:7',
  })
  ref!: string;
}

export class OrchestratorMember {
  @Choice({ about: 'What ref names.', values: MEMBER_TYPES })
  member_type!: MemberType;

  @Text({ about: 'A passport, or the id of a work item or of another orchestrator.' })
  ref!: string;

  @Text({ about: 'The principal that added it.' })
  added_by!: string;

  @DateTime({ about: 'When.' })
  added_at!: string;
}

/** What a list shows of one. */
export class OrchestratorSummary {
  @Text({ about: 'The orchestrator.' })
  orchestrator_id!: string;

  @Text({ about: 'The tenant it belongs to.' })
  tenant_id!: string;

  @Text({ about: 'What it is called.' })
  name!: string;

  @Choice({ about: 'Its state.', values: ORCHESTRATOR_STATES })
  state!: OrchestratorState;

  @Text({ about: 'Who created it; null where no passport was named.', nullable: true })
  created_by_passport!: string | null;

  @Text({ about: 'Who is in charge of it; null: nobody.', nullable: true })
  assignee_passport!: string | null;

  @Integer({ about: 'Counts its changes from 1, those of its members too.', min: 1 })
  version!: number;

  @DateTime({ about: 'When it was created.' })
  created_at!: string;

  @DateTime({ about: 'When it, or one of its members, changed last.' })
  updated_at!: string;

  @Integer({ about: 'How many members it has.', min: 0 })
  member_count!: number;
}

export class Orchestrator extends OrchestratorSummary {
  @ListOf({ about: 'Its own members, by ref.', type: () => OrchestratorMember })
  members!: OrchestratorMember[];
}

export class OrchestratorReply {
  @Nested({ about: 'The orchestrator.', type: () => Orchestrator })
  orchestrator!: Orchestrator;
}

export class OrchestratorList {
  @ListOf({ about: 'The orchestrators, newest first.', type: () => OrchestratorSummary })
  orchestrators!: OrchestratorSummary[];

  @PageCount()
  count!: number;

  @NextCursor()
  next_cursor!: string | null;
}
