import { Choice, Flag, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { AiActArticleView, ConformanceReport } from './conformance.dto.js';
import { ObserveNode } from './observe-steps.dto.js';

const EXPORT_FORMS = ['json', 'otlp-json', 'ocsf'] as const;
export type ExportForm = (typeof EXPORT_FORMS)[number];

export class ObserveExportQuery {
  @Choice({
    about: 'json; spans in the JSON of OTLP (OpenTelemetry GenAI conventions v0.1.0); events of OCSF 1.8.0.',
    ...{ values: EXPORT_FORMS, default: 'json' },
  })
  format!: ExportForm;
}

/** A record that steps name, as it is stored. */
export class ExportedReceipt {
  @Text({ about: 'A UUID, or blake3:<hex> of a retrieval receipt.' })
  receipt_id!: string;

  @Choice({ about: 'Which sort of record it is.', values: ['execution', 'retrieval'] })
  family!: 'execution' | 'retrieval';

  @Flag({ about: 'Whether form, row and signature held when it was exported.' })
  verified!: boolean;

  @Text({
    about:
      'Its bytes, base64: COSE_Sign1, or the CBOR of a retrieval receipt. docs/formats/receipts.md says how to verify it.',
  })
  record_base64!: string;
}

export class ObserveExport {
  @Text({ about: 'The session.' })
  session_id!: string;

  @ListOf({ about: 'In the order of the tree.', type: () => ObserveNode })
  steps!: ObserveNode[];

  @ListOf({ about: 'The records that the steps name.', type: () => ExportedReceipt })
  receipts!: ExportedReceipt[];

  @Nested({ about: 'What the conformance route answers.', type: () => ConformanceReport })
  conformance!: ConformanceReport;

  @Text({ about: 'Of this form; 1.' })
  contract_version!: string;

  @Flag({ about: 'Whether this server verifies receipts again: GET /v1/receipts/{id}/verification.' })
  dataplane_verification_available!: boolean;

  @ListOf({
    about: 'Articles that the rules may help with: an aid, and no conformity assessment.',
    type: () => AiActArticleView,
  })
  ai_act_articles!: AiActArticleView[];

  @Text({ about: 'svc.observe.export/1' })
  schema!: string;
}
