import { BLAKE3_DIGEST } from '../../../evidence/digest-forms.js';
import {
  Decimal,
  FreeObject,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Choice,
  DateTime,
} from '../../../common/fields/fields.js';
import { PASSPORT } from '../../../common/fields/passport.js';
import { MAX_ANCHORS, MAX_BASED_ON, MAX_CLAIMS, MAX_QUESTIONS, MAX_TEXT } from './dossier-limits.types.js';
import { ANCHOR_KINDS, CLAIM_STATES, type AnchorKind, type ClaimState } from './dossiers.types.js';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

const IGNORED = 'Ignored: it is found out at each reading. A dossier can be published as it was read.';
const ClaimName = (about: string) => Text({ about, pattern: NAME, example: 'port' });

export class PublishedAnchor {
  @Choice({ about: 'What it names. A layer is named by its fact_id.', values: ANCHOR_KINDS })
  kind!: AnchorKind;

  @Text({
    about: 'Its id: fact_id, chunk_id, receipt_id (UUID, or blake3: of a retrieval), work_id.',
    min: 1,
    max: 512,
  })
  id!: string;

  @Integer({
    about:
      'Where the words begin, in UTF-16 code units of the value of a fact, the content of a passage, or title, empty line and body of a work item. Null, or absent: the whole.',
    optional: true,
    nullable: true,
    min: 0,
    max: 2_147_483_647,
  })
  start?: number | null;

  @Integer({
    about: 'Where they end, exclusive. Needed with start.',
    optional: true,
    nullable: true,
    min: 1,
    max: 2_147_483_647,
  })
  end?: number | null;

  @Text({
    about: '`blake3:<hex>` of the words, in UTF-8. Absent: the claim rests on what is named, whatever it says.',
    optional: true,
    nullable: true,
    pattern: BLAKE3_DIGEST,
  })
  quote_blake3?: string | null;

  @Text({ about: IGNORED, optional: true, nullable: true, max: 64 })
  state?: string | null;

  @Text({ about: IGNORED, optional: true, nullable: true, max: 4096 })
  why?: string | null;

  @Text({ about: IGNORED, optional: true, nullable: true, max: 64 })
  superseded_by?: string | null;
}

export class PublishedClaim {
  @ClaimName('The claim, by a name that stays the same from dossier to dossier: they are compared by it.')
  claim_id!: string;

  @Text({ about: 'What is claimed, in words.', min: 1, max: MAX_TEXT, example: 'The shop listens on port 8080.' })
  text!: string;

  @Decimal({
    about: 'How sure the author is, 0 to 1; null where nobody said.',
    optional: true,
    nullable: true,
    min: 0,
    max: 1,
  })
  confidence?: number | null;

  @ListOf({
    about: 'What it rests on; all of it is needed. Without any the claim is unsupported.',
    type: () => PublishedAnchor,
    max: MAX_ANCHORS,
  })
  anchors!: PublishedAnchor[];

  @Text({ about: IGNORED, optional: true, nullable: true, max: 64 })
  state?: string | null;

  @Text({ about: IGNORED, optional: true, nullable: true, max: 64 })
  checked_at?: string | null;

  @Text({ about: IGNORED, optional: true, nullable: true, max: 8192 })
  why?: string | null;
}

export class DossierBasis {
  @TextList({ about: 'Ids of the facts that were read.', max: 64, maxItems: MAX_BASED_ON })
  facts!: string[];

  @TextList({ about: 'Ids of the receipts.', max: 80, maxItems: MAX_BASED_ON })
  receipts!: string[];

  @TextList({ about: 'Ids of the passages.', max: 512, maxItems: MAX_BASED_ON })
  chunks!: string[];

  @Integer({ about: 'Until when, in Unix milliseconds.', min: 0 })
  as_of_unix_ms!: number;
}

export class DossierUncertainty {
  @ClaimName('A claim of the dossier.')
  claim_id!: string;

  @Text({ about: 'Why it is uncertain.', min: 1, max: MAX_TEXT })
  reason!: string;
}

export class DossierContradiction {
  @ClaimName('A claim of the dossier.')
  a!: string;

  @ClaimName('Another one.')
  b!: string;

  @Text({ about: 'Why not both can be so.', min: 1, max: MAX_TEXT })
  why!: string;
}

/** What every dossier has, published or read (memory-daemon.md 2.4; D67). */
export class DossierHead {
  @Text({ about: 'The dossier: a name of letters, digits and . _ : -', pattern: NAME, example: 'codex-2026-11-25' })
  dossier_id!: string;

  @Text({ about: 'The project of the address.', max: 63 })
  project_id!: string;

  @Text({
    about: 'Who says so; the acting passport of the request and no other.',
    pattern: PASSPORT,
    example: 'codex:7',
  })
  agent_passport!: string;

  @Integer({ about: 'When it was made, in Unix milliseconds.', min: 0, max: 8_640_000_000_000_000 })
  generated_at_unix_ms!: number;

  @Nested({ about: 'What the author had read.', type: () => DossierBasis })
  based_on!: DossierBasis;

  @ListOf({ about: 'What is uncertain.', type: () => DossierUncertainty, max: MAX_CLAIMS })
  uncertainties!: DossierUncertainty[];

  @ListOf({ about: 'Which claims contradict each other.', type: () => DossierContradiction, max: MAX_CLAIMS })
  contradictions!: DossierContradiction[];

  @TextList({ about: 'What is to be found out.', max: MAX_TEXT, maxItems: MAX_QUESTIONS })
  open_questions!: string[];
}

export class PublishDossier extends DossierHead {
  @ListOf({ about: 'What is claimed.', type: () => PublishedClaim, max: MAX_CLAIMS })
  claims!: PublishedClaim[];

  @FreeObject({ about: 'Counted by the server: what is sent is ignored. {} will do.' })
  stats!: Record<string, unknown>;
}

export class ShownAnchor {
  @Choice({ about: 'What it names.', values: ANCHOR_KINDS })
  kind!: AnchorKind;

  @Text({ about: 'Its id.' })
  id!: string;

  @Integer({ about: 'Where the words begin, in UTF-16 code units; null: the whole.', nullable: true })
  start!: number | null;

  @Integer({ about: 'Where they end, exclusive.', nullable: true })
  end!: number | null;

  @Text({ about: '`blake3:<hex>` of the words; null where none were quoted.', nullable: true })
  quote_blake3!: string | null;

  @Choice({
    about:
      'What became of it: holds; drifted (superseded, or the words are not there any more); unavailable (retired, deleted, set aside); unknown (its text was damaged).',
    values: ['holds', 'unknown', 'drifted', 'unavailable'],
  })
  state!: string;

  @Text({ about: 'Why it does not hold, or what says otherwise; null otherwise.', nullable: true })
  why!: string | null;

  @Text({ about: 'The fact that superseded it; null where none did.', nullable: true })
  superseded_by!: string | null;
}

export class ShownClaim {
  @Text({ about: 'The claim.' })
  claim_id!: string;

  @Text({ about: 'What is claimed.' })
  text!: string;

  @Decimal({ about: 'How sure the author is; null where nobody said.', nullable: true })
  confidence!: number | null;

  @ListOf({ about: 'What it rests on.', type: () => ShownAnchor })
  anchors!: ShownAnchor[];

  @Choice({
    about:
      'As of this reading. unsupported: no anchor; stale: an anchor does not hold; contradicted: another current fact of the same entity and key, or another claim that stands, says otherwise; supported: anything else.',
    values: CLAIM_STATES,
  })
  state!: ClaimState;

  @Text({ about: 'Why it is not supported; null where it is.', nullable: true })
  why!: string | null;

  @DateTime({ about: 'When the state was found out: at this reading.' })
  checked_at!: string;
}

export class ShownDossierStats {
  @Integer({ about: 'Claims.', min: 0 })
  claims!: number;

  @Integer({ about: 'Anchors of all claims.', min: 0 })
  anchors!: number;

  @Integer({ about: 'Claims that are supported now.', min: 0 })
  supported!: number;

  @Integer({ about: 'Claims that are contradicted now.', min: 0 })
  contradicted!: number;

  @Integer({ about: 'Claims that are stale now.', min: 0 })
  stale!: number;

  @Integer({ about: 'Claims without an anchor.', min: 0 })
  unsupported!: number;
}
