import { BLAKE3_DIGEST } from '../../../evidence/digest-forms.js';
import { Choice, DateTime, Flag, FreeObject, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';

export class ImportPackRequest {
  @TenantIdMember('The tenant that the pack is imported into.', { example: 'default' })
  tenant_id!: string;

  @FreeObject({
    isReadLater: true,
    about: 'The pack (docs/formats/memory-pack.md), as POST /v1/memory/export and `svc memory export` write it.',
    example: { schema: 'svc.pack/1', facts: [{ entity: 'user:ada', key: 'city', value: 'London' }] },
  })
  pack!: Record<string, unknown>;

  @Flag({
    about: 'Whether everything is done but for the end: the counts are exact, and nothing is stored.',
    default: false,
  })
  dry_run!: boolean;

  @FreeObject({
    about:
      'Principals of the pack and who they are here: {"passport:old": "passport:new"}. Without an admin scope only you yourself.',
    optional: true,
    example: { 'passport:ada@old': 'passport:ada' },
  })
  principal_map?: Record<string, unknown>;
}

export class ImportedList {
  @Integer({ about: 'What was stored.', min: 0 })
  imported!: number;

  @Integer({ about: 'What of it took the place of something else.', min: 0 })
  superseded!: number;

  @Integer({ about: 'What was there already.', min: 0 })
  skipped!: number;
}

export class ImportedLists {
  @Nested({ about: 'Facts.', type: () => ImportedList })
  facts!: ImportedList;

  @Nested({ about: 'Observed sessions.', type: () => ImportedList })
  sessions!: ImportedList;

  @Nested({ about: 'Entities.', type: () => ImportedList })
  entities!: ImportedList;

  @Nested({ about: 'Edges.', type: () => ImportedList })
  edges!: ImportedList;

  @Nested({ about: 'Relations.', type: () => ImportedList })
  relations!: ImportedList;

  @Nested({ about: 'Cases.', type: () => ImportedList })
  cases!: ImportedList;

  @Nested({ about: 'Candidates.', type: () => ImportedList })
  candidates!: ImportedList;

  @Nested({ about: 'Engrams, however many versions of each.', type: () => ImportedList })
  engrams!: ImportedList;

  @Nested({ about: 'Labels of engrams; superseded are those that pointed elsewhere.', type: () => ImportedList })
  engram_labels!: ImportedList;
}

/** A secret that was masked. What it was is kept nowhere. */
export class ScreenedPlaceRecord {
  @Text({ about: 'The path of the member it stood in; in free JSON that of the value or payload.' })
  member!: string;

  @Text({ about: 'What kind of secret it was.' })
  kind!: string;

  @Integer({ about: 'Where it began in the text as it came, in UTF-16 units.', min: 0 })
  start!: number;

  @Integer({ about: 'Where it ended.', min: 0 })
  end!: number;
}

export class ImportPackReply {
  @Flag({ about: 'Always true: what cannot be imported whole is refused.' })
  ok!: boolean;

  @Flag({ about: 'Whether it was a rehearsal.' })
  dry_run!: boolean;

  @Text({
    about: 'BLAKE3-256 of the canonical JSON (RFC 8785) of the pack without its signature.',
    pattern: BLAKE3_DIGEST,
  })
  pack_hash!: string;

  @Text({ about: 'The fingerprint that the pack names; null where it names none.', nullable: true })
  pack_passport_fpr!: string | null;

  @Choice({ about: 'Whether the pack is signed by the key of pack_passport_fpr.', values: ['verified', 'absent'] })
  signature!: 'verified' | 'absent';

  @Integer({ about: 'Facts stored, those that supersede others too.', min: 0 })
  imported_facts!: number;

  @Integer({ about: 'Facts of the tenant that a fact of the pack with another value superseded.', min: 0 })
  collisions_superseded!: number;

  @Integer({ about: 'Facts that the tenant has with the same value.', min: 0 })
  skipped_duplicate_facts!: number;

  @Integer({ about: 'Sessions stored.', min: 0 })
  imported_sessions!: number;

  @Integer({ about: 'Sessions that the tenant has; nothing of them changes.', min: 0 })
  skipped_sessions!: number;

  @Integer({ about: 'Private facts among those stored.', min: 0 })
  private_facts!: number;

  @Integer({ about: 'Secrets that were masked before anything was stored.', min: 0 })
  screened!: number;

  @ListOf({ about: 'Where they stood, of the first thousand.', type: () => ScreenedPlaceRecord })
  screened_at!: ScreenedPlaceRecord[];

  @Nested({ about: 'The same for each list of the pack.', type: () => ImportedLists })
  lists!: ImportedLists;

  @Text({ about: 'The receipt (memory.imported); null where nothing changed, and of a rehearsal.', nullable: true })
  receipt_id!: string | null;
}

export class ExportPackRequest {
  @TenantIdMember('The tenant whose memory is exported.', { example: 'default' })
  tenant_id!: string;
}

export class ExportPackReply {
  @FreeObject({ about: 'The pack (docs/formats/memory-pack.md), signed.' })
  pack!: Record<string, unknown>;

  @Text({
    about: 'BLAKE3-256 of the canonical JSON (RFC 8785) of the pack without its signature.',
    pattern: BLAKE3_DIGEST,
  })
  pack_hash!: string;

  @DateTime({ about: 'As of when.' })
  created_at!: string;

  @Text({ about: 'The receipt (memory.exported).' })
  receipt_id!: string;
}
