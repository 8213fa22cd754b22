import { Choice, DateTime, Decimal, Integer, ListOf, Text, Uuid } from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { SOURCE_STATES, type SourceState } from '../../knowledge/citations/source-states.types.js';
import { CHANGES, type Change, FAULTY_VERDICTS, type FaultyVerdict } from './watches.types.js';

export class AlertQuery extends PageQuery {
  @DateTime({ about: 'Only changes that happened at this time or later.', optional: true })
  since?: string;
}

export class AlertPassage {
  @Text({ about: 'The passage.' })
  chunkId!: string;

  @Text({ about: 'Its corpus.' })
  corpusId!: string;

  @Text({ about: 'Its document.' })
  docId!: string;

  @Integer({ about: 'The version of the document it is of.', min: 1 })
  version!: number;

  @Text({ about: 'Digest of its text, `blake3:<hex>`.' })
  contentHash!: string;

  @Text({ about: 'Title of the document; of new matches.', optional: true, nullable: true })
  title?: string | null;

  @Text({ about: 'Address of the document; of new matches.', optional: true, nullable: true })
  url?: string | null;

  @Decimal({ about: 'Score for the watched query; of new matches.', optional: true })
  score?: number;
}

export class WatchAlert {
  @Uuid({ about: 'The alert.' })
  alertId!: string;

  @Uuid({ about: 'The watch.' })
  watchId!: string;

  @Choice({
    about:
      'new_version: the answer or document has one. deleted: the document, or that of a cited passage, is gone or no longer shared with this tenant. drifted: a passage that was watched or cited is not in the new version, or a proof did not hold (`verdict` says how). new_match: a passage that newly answers the query.',
    values: CHANGES,
  })
  change!: Change;

  @Choice({
    about:
      'Whether what is watched still holds, in the words of proofs and validity: drifted, or unavailable where the document is gone or no longer shared; of a proof its verdict. Null for new_version and new_match, and for a proof that is broken, which says nothing of the sources.',
    values: SOURCE_STATES,
    nullable: true,
  })
  state!: SourceState | null;

  @Text({ about: 'Corpus of the document that changed; null where it is not about one.', nullable: true })
  corpusId!: string | null;

  @Text({ about: 'The document that changed; null where it is not about one.', nullable: true })
  docId!: string | null;

  @Integer({ about: 'The version before; null where there was none.', nullable: true })
  from!: number | null;

  @Integer({ about: 'The version now; null where there is none.', nullable: true })
  to!: number | null;

  @ListOf({
    about:
      'At most 20. new_version: passages with a new text. drifted, deleted: the watched or cited passages that are no more. new_match: the matches. None of a proof: GET /v1/proof/jobs/{id}/chunks has them.',
    type: () => AlertPassage,
  })
  passages!: AlertPassage[];

  @Integer({ about: 'How many passages it is about in all.', min: 0 })
  passageCount!: number;

  @Uuid({ about: 'The proof job that found it; null where it was not a proof.', nullable: true })
  proofJobId!: string | null;

  @Choice({
    about:
      'What that proof said: broken where something of the record is missing or altered, else what became of the sources. Null where it was not a proof.',
    values: FAULTY_VERDICTS,
    nullable: true,
  })
  verdict!: FaultyVerdict | null;

  @DateTime({ about: 'When the change happened.' })
  occurredAt!: string;
}

export class AlertList {
  @ListOf({ about: 'Alerts, oldest first.', type: () => WatchAlert })
  alerts!: WatchAlert[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}
