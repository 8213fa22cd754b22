import { Choice, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { SLUG } from '../../projects/projects/projects.types.js';
import { CAPABILITY_CLASSES, type CapabilityClass } from './engrams.types.js';
import { AgentBody } from './resolve.dto.js';
import { BODY_SECTIONS, type BodySection } from './session-body.rules.js';

export class StartSession extends AgentBody {
  @Integer({ about: 'The most tokens (o200k_base) of the body.', min: 100, max: 100_000, default: 4000 })
  token_budget!: number;

  @Text({
    about:
      'The project that the session works in: its layer `session-procedure`, else that of the workspace, is the session procedure.',
    optional: true,
    max: 63,
    pattern: SLUG,
    example: 'lighthouse',
  })
  project_id?: string;
}

export class ManifestEngram {
  @Text({ about: 'The engram.' })
  name!: string;

  @Integer({ about: 'Its version.', min: 1 })
  version!: number;

  @Text({ about: 'BLAKE3-256 of its content.' })
  hash!: string;
}

export class EngramManifest {
  @Text({ about: 'As POST /v1/memory/engrams/resolve answers it: send it there as manifest_hash.' })
  engram_set_hash!: string;

  @ListOf({ about: 'All engrams that apply, by name, in the body or omitted from it.', type: () => ManifestEngram })
  engrams!: ManifestEngram[];
}

export class OmittedItem {
  @Choice({ about: 'The section of the body.', values: BODY_SECTIONS })
  section!: BodySection;

  @Text({ about: 'What was left out; null: the whole section.', nullable: true })
  id!: string | null;

  @Integer({ about: 'Its tokens; null where nothing was read.', nullable: true, min: 0 })
  tokens!: number | null;

  @Text({ about: 'Why.' })
  why!: string;
}

export class StartedSession {
  @Text({ about: 'What to begin the session with, as Markdown: whole items alone, in a fixed order.' })
  body!: string;

  @Integer({ about: 'The tokens of the body (o200k_base).', min: 0 })
  tokens!: number;

  @Text({ about: 'BLAKE3-256 of the body: the same state gives the same.' })
  hash!: string;

  @ListOf({ about: 'What is not in the body, and why.', type: () => OmittedItem })
  omitted!: OmittedItem[];

  @Choice({ about: 'The class of the model; standard for one that is not known.', values: CAPABILITY_CLASSES })
  capability_class!: CapabilityClass;

  @Nested({ about: 'The engrams, to notice a change of them.', type: () => EngramManifest })
  engram_manifest!: EngramManifest;

  @Text({ about: 'The passport that the credential acts as.', nullable: true })
  passport_id!: string | null;

  @Text({
    about:
      'What the session is to do first, meanwhile and at its end, by the layer of that name, else the built-in text; it is also in the body.',
  })
  session_procedure!: string;

  @Text({ about: 'BLAKE3-256 of that.' })
  session_procedure_hash!: string;

  @Text({ about: '`svc.session-init/1`.' })
  schema!: string;
}
