import {
  AnyJson,
  Choice,
  Flag,
  FreeObject,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
} from '../../../common/fields/fields.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';
import { ExportPresentation } from './export-presentation.dto.js';
import { EXPORT_MODES, type ExportMode } from './exports.types.js';

/** What every export of a tenant takes. */
export class ExportQuery extends ExportPresentation {
  @TenantIdMember('The tenant whose evidence it is.')
  tenant_id!: string;
}

/** What exports of answers and actions take in addition. */
export class SubjectExportQuery extends ExportQuery {
  @Choice({
    about:
      'latest: what stands now. verified: the same, each record and text checked again, with the findings. audit: all there is of the subject, checked.',
    values: EXPORT_MODES,
    default: 'latest',
  })
  mode!: ExportMode;
}

/** A u64 past what a number holds exactly stands for the end: streams are shorter. */
const U64 = 2 ** 64;
const U32 = 2 ** 32 - 1;

export class StreamExportQuery extends ExportQuery {
  @Integer({ about: 'The first event, from 0.', min: 0, max: U64, default: 0 })
  from_seq!: number;

  @Integer({ about: 'The last event; the last of the stream unless given.', optional: true, min: 0, max: U64 })
  to_seq?: number;

  @Integer({
    about:
      'How many events at most; never more than 10,000, nor more than one export can hold: its complete says whether all are there.',
    min: 1,
    max: U32,
    default: 1000,
  })
  max_events!: number;
}

export class ReceiptOfExport {
  @Text({ about: 'UUID of an execution receipt, or `blake3:<hex>` of a retrieval receipt.', min: 1, max: 200 })
  receiptId!: string;
}
export class AnswerOfExport {
  @Text({ about: 'The answer, as it was recorded with its citations.', min: 1, max: 512 })
  answerId!: string;
}
export class ActionOfExport {
  @Text({
    about:
      "What happened: the subject of its receipts and events, such as the id of an ingest, of one of the shield's decisions, or of an approval.",
    min: 1,
    max: 1100,
  })
  actionId!: string;
}
export class StreamOfExport {
  @Text({ about: 'The type of the stream.', min: 1, max: 500 })
  streamType!: string;

  @Text({ about: 'The stream of that type.', min: 1, max: 512 })
  streamId!: string;
}

export class EntityOfExport {
  @Text({ about: 'The entity whose facts it is of, percent-encoded.', min: 1, max: 2048 })
  entity!: string;
}

export class ExportedItem {
  @Text({ about: "One of 'receipt', 'retrieval', 'answer', 'citation', 'event', 'happening', 'fact', 'finding'." })
  type!: string;

  @Text({ about: 'BLAKE3 of the record that the log has; null of what is no record.', nullable: true })
  record!: string | null;

  @TextList({ about: 'Digests of its fields, `blake3:<hex>`.' })
  fields!: string[];
}

export class ExportManifestBody {
  @Integer({ about: '2.' })
  v!: number;

  @Text({ about: 'Whose evidence it is.' })
  tenant_id!: string;

  @Choice({
    about: 'What kind of subject; which one is the field subject_id.',
    values: ['receipt', 'answer', 'action', 'stream', 'entity'],
  })
  subject!: string;

  @Choice({ about: 'What was asked for.', values: EXPORT_MODES })
  mode!: ExportMode;

  @Flag({ about: 'False when there is more of the subject than this export holds.' })
  complete!: boolean;

  @TextList({
    about: 'How the actors of its records were authenticated; `off` and what begins with `dev` proves nothing.',
  })
  auth_modes!: string[];

  @TextList({ about: 'Digests of the fields of the export itself.' })
  fields!: string[];

  @ListOf({ about: 'What it is about.', type: () => ExportedItem })
  items!: ExportedItem[];

  @AnyJson({ about: 'Every public key that signed evidence in this database: a list of JSON Web Keys.' })
  keys!: unknown;

  @TextList({ about: 'Receipts of the server by which its first key names the others: COSE_Sign1, base64.' })
  statements!: string[];
}

export class DisclosedField {
  @AnyJson({ about: 'Names and indices that lead to the field: a list.' })
  path!: (string | number)[];

  @Text({ about: '16 bytes, base64.' })
  salt!: string;

  @AnyJson({ about: 'The value; missing where cbor is there.', optional: true })
  value?: unknown;

  @Text({ about: 'The value as CBOR in base64, where it holds a byte string.', optional: true })
  cbor?: string;
}

/** docs/formats/export.md: canonical JSON, whose bytes are the file. */
export class ExportBody {
  @Choice({ about: 'The format.', values: ['svc-export-v2'] })
  format!: string;

  @Nested({ about: 'What is signed: the same whatever is shown.', type: () => ExportManifestBody })
  manifest!: ExportManifestBody;

  @Text({ about: 'COSE_Sign1 with detached payload, base64: the canonical CBOR of the manifest.' })
  signature!: string;

  @ListOf({ about: 'The fields that are shown, each with its salt.', type: () => DisclosedField })
  disclosures!: DisclosedField[];

  @FreeObject({
    about: 'The checkpoint of the log, inclusion proofs, and consistency with earlier ones; null without proofs.',
    nullable: true,
  })
  log!: object | null;
}
