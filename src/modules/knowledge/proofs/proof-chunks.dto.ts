import { Choice, Decimal, Integer, ListOf, Text } from '../../../common/fields/fields.js';
import { ProofCheck, ProofEnvelope } from './proofs.dto.js';
import { JOB_STATUSES, type JobStatus } from './proofs.types.js';

export class ProofChunk {
  @Text({ about: 'The passage.' })
  chunkId!: string;

  @Text({ about: 'Corpus of its document.' })
  corpusId!: string;

  @Text({ about: 'Its document.' })
  docId!: string;

  @Integer({ about: 'Version of the document that the passage is of.', min: 1 })
  docVersion!: number;

  @Choice({ about: "The tenant's own, or shared with it.", values: ['tenant', 'commons'] })
  source!: 'tenant' | 'commons';

  @Text({ about: 'Title of the document.', nullable: true })
  title!: string | null;

  @Text({ about: 'Address of the document.', nullable: true })
  url!: string | null;

  @Text({ about: 'Digest of the text as it was cited or found, `blake3:<hex>`.' })
  contentHash!: string;

  @Text({ about: 'The text; null where the tenant may no longer see it.', nullable: true })
  content!: string | null;

  @Text({ about: 'The words that were cited; null for a whole passage.', nullable: true })
  quote!: string | null;

  @Integer({ about: 'Place in the recorded ranking, from 1; null where there is none.', nullable: true, min: 1 })
  recordedRank!: number | null;

  @Integer({
    about: 'Place in the ranking made again; null where it was not, or the passage is not in it.',
    nullable: true,
    min: 1,
  })
  rank!: number | null;

  @Decimal({ about: 'Score in the ranking made again.', nullable: true })
  score!: number | null;

  @ListOf({ about: 'The checks of this passage.', type: () => ProofCheck })
  checks!: ProofCheck[];
}

export class ProofChunkPage extends ProofEnvelope {
  @Text({ about: 'The job.' })
  jobId!: string;

  @Choice({ about: 'Where the job is; the list is empty until it ends.', values: JOB_STATUSES })
  status!: JobStatus;

  @ListOf({ about: 'The passages in the order of the answer, document or ranking.', type: () => ProofChunk })
  chunks!: ProofChunk[];

  @Text({ about: 'For the next page; null on the last one.', nullable: true })
  next_cursor!: string | null;
}
