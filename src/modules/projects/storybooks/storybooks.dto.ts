import { Choice, DateTime, Flag, Integer, ListOf, Nested, Text, Uuid } from '../../../common/fields/fields.js';
import { HasMore, NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { DIFF_PARTS } from '../../../common/diff/text-diff.types.js';
import { ANCHOR_KINDS, type AnchorKind } from '../dossiers/dossiers.types.js';
import { SECTION_IDS, STORYBOOK_FORMATS, type SectionId, type StorybookFormat } from './storybooks.types.js';

export class StorybooksPath {
  @Text({ about: 'The project.', min: 1, max: 63 })
  id!: string;
}

/** A u64; one past what a number holds exactly is the time of no storybook. */
const Version = (about: string) => Integer({ about, min: 0, max: 2 ** 64 });

export class StorybookPath extends StorybooksPath {
  @Version('The version: its generated_at_unix_ms.')
  ts!: number;
}

export class StorybookQuery {
  @Choice({
    about: 'As what: json, markdown, html (a page that loads nothing), zip (a folder of pages that VitePress builds).',
    values: STORYBOOK_FORMATS,
    default: 'json',
  })
  format!: StorybookFormat;

  @Choice({ about: 'Only this section; of json and markdown.', values: SECTION_IDS, optional: true })
  section?: SectionId;

  @Flag({ about: 'Of json: each sentence apart, with what it rests on.', default: false })
  claims!: boolean;
}

export class StorybookDiffQuery {
  @Version('The version from which to compare.')
  a!: number;

  @Version('The version to compare with it.')
  b!: number;
}

export class StorybookVersionsQuery extends PageQuery {}

export class StorybookStatsShown {
  @Integer({ about: 'Sentences that state something.', min: 0 })
  statements!: number;

  @Integer({ about: 'Different facts that they rest on.', min: 0 })
  facts!: number;

  @Integer({ about: 'Layers.', min: 0 })
  layers!: number;

  @Integer({ about: 'Work items.', min: 0 })
  work!: number;

  @Integer({ about: 'Receipts.', min: 0 })
  receipts!: number;

  @Integer({ about: 'Passages, by dossiers.', min: 0 })
  chunks!: number;
}

/** What every answer says of a version (memory-daemon.md 2.4). */
export class StorybookVersion {
  @Text({ about: 'The project.' })
  project_id!: string;

  @Integer({ about: 'When it was generated, in Unix milliseconds: its version.' })
  generated_at_unix_ms!: number;

  @Text({ about: 'The acting passport; null where the request had none.', nullable: true })
  generated_by_passport!: string | null;

  @Integer({ about: 'Bytes of its Markdown.', min: 0 })
  bytes!: number;

  @Integer({ about: 'Sections that it has.', min: 0 })
  section_count!: number;

  @Nested({ about: 'What it is made of.', type: () => StorybookStatsShown })
  stats!: StorybookStatsShown;

  @Text({ about: '`blake3:<hex>` of its Markdown: equal states have equal storybooks. Its receipt has it too.' })
  content_hash!: string;

  @Uuid({ about: 'The receipt of its generation.' })
  receipt_id!: string;

  @DateTime({ about: 'When it was stored.' })
  created_at!: string;
}

export class StorybookGenerated extends StorybookVersion {
  @Flag({ about: 'Whether the version before it says the same, byte for byte.' })
  same_as_before!: boolean;
}

export class StorybookVersions {
  @Text({ about: 'The project.' })
  project_id!: string;

  @ListOf({ about: 'The versions, newest first.', type: () => StorybookVersion })
  versions!: StorybookVersion[];

  @PageCount()
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class StorybookAnchor {
  @Choice({ about: 'What it names. A layer is named by its fact_id.', values: ANCHOR_KINDS })
  kind!: AnchorKind;

  @Text({ about: 'Its id.' })
  id!: string;
}

export class StorybookClaim {
  @Text({ about: 'Stays the same while what it is about changes: versions are compared by it.' })
  claim_id!: string;

  @Text({ about: 'The sentence, with the text below it where there is one.' })
  text!: string;

  @ListOf({ about: 'What it rests on.', type: () => StorybookAnchor })
  anchors!: StorybookAnchor[];
}

export class StorybookSection {
  @Choice({ about: 'The section.', values: SECTION_IDS })
  id!: SectionId;

  @Text({ about: 'Its heading.' })
  title!: string;

  @Integer({ about: 'Sentences that state something.', min: 0 })
  claim_count!: number;

  @Flag({ about: 'Whether there was more than it holds.' })
  cut!: boolean;

  @ListOf({ about: 'The sentences, where they were asked for.', type: () => StorybookClaim, optional: true })
  claims?: StorybookClaim[];
}

export class StorybookShown extends StorybookVersion {
  @Text({ about: 'The name of the project then.' })
  title!: string;

  @ListOf({ about: 'Its sections, or the one that was asked for.', type: () => StorybookSection })
  sections!: StorybookSection[];

  @Text({ about: 'Its Markdown, or that of the section.' })
  content!: string;
}

export class StorybookDiffPart {
  @Choice({ about: 'On which side the words stand.', values: DIFF_PARTS })
  kind!: (typeof DIFF_PARTS)[number];

  @Text({ about: 'The words, spaces as they stand.' })
  text!: string;
}

export class StorybookClaimChanged {
  @Text({ about: 'The sentence.' })
  claim_id!: string;

  @Text({ about: 'What it said.' })
  before!: string;

  @Text({ about: 'What it says now.' })
  after!: string;

  @ListOf({ about: 'The same, word by word.', type: () => StorybookDiffPart })
  parts!: StorybookDiffPart[];
}

export class StorybookSectionDiff {
  @Choice({ about: 'The section.', values: SECTION_IDS })
  id!: SectionId;

  @Text({ about: 'Its heading.' })
  title!: string;

  @ListOf({ about: 'Sentences that b alone has.', type: () => StorybookClaim })
  added!: StorybookClaim[];

  @ListOf({ about: 'Sentences that a alone has.', type: () => StorybookClaim })
  removed!: StorybookClaim[];

  @ListOf({ about: 'Sentences whose words differ.', type: () => StorybookClaimChanged })
  changed!: StorybookClaimChanged[];

  @Integer({ about: 'Sentences that are the same in both.', min: 0 })
  unchanged!: number;
}

export class StorybookDiff {
  @Text({ about: 'The project.' })
  project_id!: string;

  @Integer({ about: 'From which version.' })
  a!: number;

  @Integer({ about: 'To which version.' })
  b!: number;

  @Flag({ about: 'Whether both are the same, byte for byte.' })
  same!: boolean;

  @ListOf({ about: 'All sections, in their order.', type: () => StorybookSectionDiff })
  sections!: StorybookSectionDiff[];
}
