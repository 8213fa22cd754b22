import { Choice, Integer, ListOf, Text, Uuid } from '../../../common/fields/fields.js';
import { SLUG } from '../projects/projects.types.js';
import { LayerName } from './layers.dto.js';
import { LAYER_ORIGINS, type LayerOrigin } from './layers.types.js';

export class EffectiveQuery {
  @Text({ about: 'With the layers of this plane.', optional: true, max: 63, pattern: SLUG, example: 'backend' })
  plane_id?: string;

  @Text({
    about: 'With those of this session: your own facts of the entity `layer:session/<session_id>`.',
    optional: true,
    min: 1,
    max: 200,
  })
  session_id?: string;

  @LayerName('Only the layer of this name.', { optional: true })
  layer?: string;
}

/** A layer of an effective view, without its text. */
export class LayerPart {
  @Text({ about: 'The layer.' })
  layer!: string;

  @Choice({
    about: 'Where it comes from: the workspace is the default project of the tenant.',
    values: LAYER_ORIGINS,
  })
  origin!: LayerOrigin;

  @Text({ about: 'The entity of its fact.' })
  entity!: string;

  @Uuid({ about: 'The fact that it is.' })
  fact_id!: string;

  @Integer({ about: 'Its version.', min: 1 })
  version!: number;

  @Text({ about: 'BLAKE3 of its text.' })
  hash!: string;

  @Integer({ about: 'Bytes of its text in UTF-8.', min: 0 })
  bytes!: number;
}

export class OverriddenPart extends LayerPart {
  @Choice({ about: 'The origin of the layer that took its place.', values: LAYER_ORIGINS })
  overridden_by!: LayerOrigin;
}

export class EffectiveLayers {
  @Text({ about: 'The project.' })
  project_id!: string;

  @Text({ about: 'The plane; null: none was named.', nullable: true })
  plane_id!: string | null;

  @Text({ about: 'The session; null: none was named.', nullable: true })
  session_id!: string | null;

  @Text({ about: 'The texts of the parts in their order, an empty line between two.' })
  text!: string;

  @Text({ about: 'BLAKE3 of the text.' })
  hash!: string;

  @ListOf({
    about:
      'The layers that hold: of each name that of the narrowest origin. Wider origins first, by name within one: what is more special is said later.',
    type: () => LayerPart,
  })
  parts!: LayerPart[];

  @ListOf({ about: 'The layers that another of the same name took the place of.', type: () => OverriddenPart })
  overridden!: OverriddenPart[];

  @Choice({ about: 'The form of this answer.', values: ['svc.layers.effective/1'] })
  schema!: 'svc.layers.effective/1';
}
