import {
  Choice,
  DateTime,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../common/fields/fields.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';

export const SOURCES = ['tenant', 'commons'] as const;
const LANES = ['light', 'verified', 'audit'] as const;

export class AnswerAddress {
  @Text({ about: 'The answer, by the id it was recorded under.', min: 1, max: 512, example: 'answer-2026-11-20-1' })
  answerId!: string;
}

export class ReplayQuery {
  @TenantIdMember('The tenant whose answer it is.', { example: 'default' })
  tenant_id!: string;

  @Text({ about: 'The shard to look in; the one of this daemon when absent.', optional: true, min: 1, max: 120 })
  shard_id?: string;

  @Integer({ about: 'The version of the answer; the newest when absent.', optional: true, min: 1, max: 2 ** 31 - 1 })
  version?: number;
}

export class CapsuleSearch {
  @Uuid({ about: 'The retrieval.' })
  retrieval_id!: string;

  @Choice({ about: 'Its lane.', values: LANES })
  lane!: (typeof LANES)[number];

  @Text({ about: 'Its retrieval receipt, `blake3:<hex>`; null in the light lane, which leaves none.', nullable: true })
  receipt_id!: string | null;

  @Uuid({ about: 'Its signed receipt; null where the lane leaves none.', nullable: true })
  execution_receipt_id!: string | null;
}

/** A passage that an answer cites. */
export class PassagePlace {
  @Integer({ about: 'Its place in the answer, from 0.', min: 0 })
  ordinal!: number;

  @Text({ about: 'The passage.' })
  chunk_id!: string;

  @Text({ about: 'Corpus of its document.' })
  corpus_id!: string;

  @Text({ about: 'Its document.' })
  doc_id!: string;

  @Choice({ about: "Whose passage: the tenant's own, or one shared with it.", values: SOURCES })
  source!: (typeof SOURCES)[number];
}

/** A citation by its ids and digests. */
export class CapsuleCitation extends PassagePlace {
  @Text({ about: "Digest of the passage's text, `blake3:<hex>`." })
  content_hash!: string;

  @Integer({ about: 'The version of the document that was cited.', min: 1 })
  doc_version!: number;

  @Integer({
    about: 'Where the cited words begin in the passage, in UTF-16 code units; null: all is cited.',
    nullable: true,
  })
  start!: number | null;

  @Integer({ about: 'Where they end, exclusive.', nullable: true })
  end!: number | null;

  @Text({ about: 'Digest of the cited words; null: all is cited.', nullable: true })
  quote_hash!: string | null;

  @Text({ about: "Digest of the agent's remark.", nullable: true })
  note_hash!: string | null;
}

export class AnswerCapsule {
  @Text({ about: '`svc.answer-capsule/1`.' })
  schema!: string;

  @Text({ about: 'BLAKE3-256 of the deterministic CBOR (RFC 8949 4.2.1) of all other members, `blake3:<hex>`.' })
  capsule_hash!: string;

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Text({ about: 'The answer.' })
  answer_id!: string;

  @Integer({ about: 'Its version.', min: 1 })
  version!: number;

  @Text({ about: 'The agent that answered.' })
  agent_id!: string;

  @DateTime({ about: 'When it was recorded.' })
  recorded_at!: string;

  @Text({ about: 'Digest of the text of the answer; null when none was recorded.', nullable: true })
  answer_hash!: string | null;

  @Uuid({ about: 'The signed receipt `answer.recorded`.' })
  receipt_id!: string;

  @Nested({ about: 'The search it rests on; null when none is recorded.', type: () => CapsuleSearch, nullable: true })
  search!: CapsuleSearch | null;

  @ListOf({ about: 'What it cites.', type: () => CapsuleCitation })
  citations!: CapsuleCitation[];
}

/** A citation as it was recorded, with its text. */
export class ReplayedCitation extends PassagePlace {
  @Integer({ about: 'The version of the document that was cited.', min: 1 })
  doc_version!: number;

  @Text({ about: 'Title of the document then.', nullable: true })
  title!: string | null;

  @Text({ about: 'Address of the document then.', nullable: true })
  url!: string | null;

  @Text({ about: 'The text of the passage, as it was cited.' })
  content!: string;

  @Text({ about: 'The digest that was recorded, `blake3:<hex>`.' })
  content_hash!: string;

  @Flag({ about: 'Whether the text has that digest.' })
  hash_holds!: boolean;

  @Integer({ about: 'Where the cited words begin, in UTF-16 code units; null: all is cited.', nullable: true })
  start!: number | null;

  @Integer({ about: 'Where they end, exclusive.', nullable: true })
  end!: number | null;

  @Text({ about: 'The cited words.', nullable: true })
  quote!: string | null;

  @Flag({ about: 'Whether those words stand there in the text.' })
  quote_holds!: boolean;

  @Text({ about: "The agent's remark.", nullable: true })
  note!: string | null;

  @TextList({ about: 'The receipts that attest the citation.' })
  receipt_ids!: string[];
}

export class AnswerReplay {
  @Text({ about: '`svc.answer-replay/1`.' })
  schema!: string;

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Text({ about: 'The answer.' })
  answer_id!: string;

  @Choice({
    about: 'recorded: the newest version; superseded: there is a newer one.',
    values: ['recorded', 'superseded'],
  })
  status!: 'recorded' | 'superseded';

  @Choice({
    about: 'historical: from what was recorded then; nothing is searched or generated.',
    values: ['historical'],
  })
  mode!: 'historical';

  @Text({
    about:
      'The result of checking the signed receipt `answer.recorded` again: OK, or the first thing that is wrong with form, signature, chain or log.',
  })
  receipt_check!: string;

  @Flag({
    about:
      'Whether the rows of the answer and of its citations are what that receipt attests: agent, writer, time, text and citations. Where they are not, what is shown was changed in the database.',
  })
  as_attested!: boolean;

  @Nested({
    about: 'What the answer is bound to, without its text, made of the rows: no receipt has it.',
    type: () => AnswerCapsule,
  })
  capsule!: AnswerCapsule;

  @ListOf({ about: 'What it cites, as it was recorded.', type: () => ReplayedCitation })
  evidence!: ReplayedCitation[];

  @Text({ about: 'The text of the answer; null when none was recorded.', nullable: true })
  stored_answer!: string | null;

  @Text({ about: 'The same with its citations below, one line each; made of the records alone.' })
  rendered_answer!: string;

  @Flag({ about: 'Whether the agent has to be asked for its words: they were not recorded.' })
  agent_required!: boolean;

  @Flag({ about: 'Whether the words would have to be generated again: they were not recorded.' })
  llm_required!: boolean;
}
