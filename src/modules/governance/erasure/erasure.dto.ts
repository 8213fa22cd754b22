import {
  Choice,
  DateTime,
  Flag,
  FreeObject,
  ListOf,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../common/fields/fields.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';

const MAX_NAMES = 1_000;
const MAX_TEXTS = 100;
export const MIN_TEXT = 4;

export class DocumentToErase {
  @Text({ about: 'The corpus.', min: 1, max: 200, example: 'support' })
  corpus_id!: string;

  @Text({ about: 'The document, with all its versions.', min: 1, max: 400, example: 'letter-17' })
  doc_id!: string;
}

export class EraseSubject {
  @TextList({
    about:
      'Entities by their whole names: of facts, of the graph (`id`, or `kind:id`), and streams (`id`, or `type/id`).',
    maxItems: MAX_NAMES,
    max: 4_096,
    default: [],
    example: ['person:ada'],
  })
  entities!: string[];

  @TextList({ about: 'Entities and streams whose names begin so.', maxItems: MAX_TEXTS, max: 4_096, default: [] })
  entity_prefixes!: string[];

  @TextList({ about: 'Facts, with every version of what they say.', maxItems: MAX_NAMES, max: 64, default: [] })
  fact_ids!: string[];

  @ListOf({
    about: 'Documents of the tenant API, with passages, citations and answers.',
    type: () => DocumentToErase,
    max: MAX_NAMES,
    optional: true,
  })
  documents?: DocumentToErase[];

  @TextList({
    about:
      'Principals, passports and agents: facts of which they wrote any version, with all versions, those of other writers and the current one too; and what they asked, answered, watched and noted.',
    maxItems: MAX_NAMES,
    max: 512,
    default: [],
  })
  principals!: string[];

  @TextList({
    about: `Texts of ${MIN_TEXT} to 400 characters: whatever holds one of them goes, exactly as it is written. A fact, a document and an entity go with all their versions where any of them holds one, the current one too.`,
    maxItems: MAX_TEXTS,
    max: 400,
    default: [],
  })
  texts!: string[];

  @Flag({ about: 'Reports what would go, and removes nothing.', default: false })
  dry_run!: boolean;

  @TenantIdMember('The tenant; that of the credential unless it is said.', { optional: true })
  tenant_id?: string;
}

export class ErasurePath {
  @Uuid({ about: 'The erasure.' })
  id!: string;
}

export class ErasureQuery {
  @TenantIdMember('The tenant; that of the credential unless it is said.', { optional: true })
  tenant_id?: string;
}

export const ERASURE_STATES = ['found', 'running', 'removed', 'scrubbed', 'refused', 'failed'] as const;

export class Erasure {
  @Uuid({ about: 'The erasure; null of a report.', nullable: true })
  erasure_id!: string | null;

  @Choice({
    about:
      '`found`: a report, nothing was removed. `running`: it goes on without its caller, also after a restart. `removed`: nobody sees it any more, and bytes of it may stand in files of the database. `scrubbed`: those are rewritten too. `refused`, `failed`: nothing was removed, and nothing will be.',
    values: ERASURE_STATES,
  })
  state!: (typeof ERASURE_STATES)[number];

  @FreeObject({ about: 'Rows by table: found, or removed.' })
  counts!: Record<string, number>;

  @FreeObject({ about: 'Of a report: up to ten ids of each table.', optional: true })
  samples?: Record<string, string[]>;

  @TextList({
    about: 'Legal holds: of a report those that would refuse the erasure, of a refused one those that did.',
    optional: true,
  })
  hold_ids?: string[];

  @Text({ about: 'Why it was refused, or failed.', optional: true })
  reason?: string;

  @Uuid({
    about: 'The receipt `erasure.completed`; null of a report, and of one that a restore did again.',
    nullable: true,
  })
  receipt_id!: string | null;

  @Text({ about: 'The principal.', nullable: true })
  erased_by!: string | null;

  @DateTime({ about: 'When it was removed.', nullable: true })
  erased_at!: string | null;

  @DateTime({ about: 'When the files were rewritten.', nullable: true })
  scrubbed_at!: string | null;

  @Text({ about: 'What the rewriting does or waits for.', nullable: true })
  scrub_step!: string | null;
}

export class ErasureReply {
  @Nested({ about: 'The erasure, or the report.', type: () => Erasure })
  erasure!: Erasure;
}
