import { Choice, Text } from '../../../common/fields/fields.js';
import { EXPORT_FORMATS, type ExportFormat } from './exports.types.js';
import { PART_NAMES, PROFILE_NAMES } from './redaction.rules.js';

/** What of an export is shown, and how it is written. */
export class ExportPresentation {
  @Text({
    about: `Parts to show, separated by commas: ${PART_NAMES.join(', ')}. All unless given. The keys are signed with the rest and always there.`,
    optional: true,
    min: 1,
    max: 200,
    example: 'receipts,proofs',
  })
  include?: string;

  @Text({
    about: `What to withhold, separated by commas: a profile (${PROFILE_NAMES.join(', ')}), or fields by name or dotted path, such as \`actor\`, \`payload.body.query\`, \`items.3.quote\`. A field takes all below it with it, list indices may be left out, \`*\` is any one part. What would reveal a withheld value by a digest without a salt is withheld as well. A name that no field has is refused.`,
    optional: true,
    min: 1,
    max: 4000,
    example: 'content,actor',
  })
  redaction?: string;

  @Choice({
    about: 'How it is written; by Accept, else json, unless given.',
    values: EXPORT_FORMATS,
    optional: true,
  })
  format?: ExportFormat;

  @Text({
    about:
      'A checkpoint of the log kept from before, base64url of its text: the export then proves that its own extends it.',
    optional: true,
    min: 1,
    max: 4000,
  })
  earlier_checkpoint?: string;
}
