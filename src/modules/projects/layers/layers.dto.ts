import { DateTime, Flag, Integer, ListOf, Text, Uuid } from '../../../common/fields/fields.js';
import { NextCursor, PageCount } from '../../../common/fields/page.dto.js';
import { SLUG } from '../projects/projects.types.js';
import { LAYER_NAME, MAX_CONTENT } from './layers.types.js';

const MAX_VERSION = 2 ** 31 - 1;

const Slug = (about: string, more: { optional?: true; example?: string } = {}) =>
  Text({ about, max: 63, pattern: SLUG, ...more });
export const LayerName = (about: string, more: { optional?: true } = {}) =>
  Text({ about, max: 63, pattern: LAYER_NAME, example: 'style', ...more });
export const BaseVersion = () =>
  Integer({
    about: 'The version that the change is meant for, 0 where there is to be none yet: 409 when it is another.',
    optional: true,
    min: 0,
    max: MAX_VERSION,
  });

export class ProjectLayersPath {
  @Slug('The project.', { example: 'lighthouse' })
  id!: string;
}

export class ProjectLayerPath extends ProjectLayersPath {
  @LayerName('The layer.')
  layer!: string;
}

export class PlaneLayersPath extends ProjectLayersPath {
  @Slug('The plane.', { example: 'backend' })
  planeId!: string;
}

export class PlaneLayerPath extends PlaneLayersPath {
  @LayerName('The layer.')
  layer!: string;
}

export class PutLayer {
  @Text({ about: 'The text; an empty one only overrides those of wider origins.', max: MAX_CONTENT })
  content!: string;

  @BaseVersion()
  base_version?: number;
}

export class DeleteLayerQuery {
  @BaseVersion()
  base_version?: number;
}

/** A current layer (memory-daemon.md 2.4). */
export class Layer {
  @Text({ about: 'The layer.' })
  layer!: string;

  @Text({ about: 'Its text.' })
  content!: string;

  @Integer({ about: 'Counts what was stored and cleared under this name, from 1.', min: 1 })
  version!: number;

  @Integer({ about: 'How many versions there have been, deletions among them.', min: 1 })
  count!: number;

  @Uuid({ about: 'The fact that this version is.' })
  fact_id!: string;

  @DateTime({ about: 'When it was stored.' })
  stored_at!: string;

  @Flag({ about: 'As its fact is stored: whether /v1/facts shows it to admin scopes alone.' })
  'private'!: boolean;

  @Integer({ about: 'Bytes of the text in UTF-8.', min: 0 })
  bytes!: number;

  @Text({ about: 'BLAKE3 of the text.' })
  hash!: string;

  @Text({ about: 'The principal that wrote it.', nullable: true })
  written_by!: string | null;

  @Text({ about: 'The signed receipt of it.', nullable: true })
  receipt_id!: string | null;
}

export class LayerList {
  @Text({ about: 'The project.' })
  project_id!: string;

  @ListOf({ about: 'The layers, by name. A page ends early before its texts exceed 4 MiB.', type: () => Layer })
  layers!: Layer[];

  @PageCount()
  count!: number;

  @Flag({ about: 'Whether there is another page.' })
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class PlaneLayerList extends LayerList {
  @Text({ about: 'The plane.' })
  plane_id!: string;
}

export class LayerStored {
  @Text({ about: 'The project.' })
  project_id!: string;

  @Text({ about: 'The layer.' })
  layer!: string;

  @Integer({ about: 'Its version.', min: 1 })
  version!: number;

  @Uuid({ about: 'The fact that this version is.' })
  fact_id!: string;

  @Flag({ about: 'As its fact is stored: whether /v1/facts shows it to admin scopes alone.' })
  'private'!: boolean;

  @Integer({ about: 'Bytes of the text in UTF-8.', min: 0 })
  bytes!: number;

  @Text({ about: 'BLAKE3 of the text.' })
  hash!: string;

  @DateTime({ about: 'When it was stored.' })
  stored_at!: string;

  @Text({ about: 'The signed receipt of it.' })
  receipt_id!: string;
}

export class PlaneLayerStored extends LayerStored {
  @Text({ about: 'The plane.' })
  plane_id!: string;
}

export class LayerCleared {
  @Text({ about: 'The project.' })
  project_id!: string;

  @Text({ about: 'The layer.' })
  layer!: string;

  @Flag({ about: 'Whether there was a layer, and is none any more.' })
  cleared!: boolean;

  @Integer({ about: 'Its version, which the deletion is one of; 0: there never was such a layer.', min: 0 })
  version!: number;
}

export class PlaneLayerCleared extends LayerCleared {
  @Text({ about: 'The plane.' })
  plane_id!: string;
}

export class LayerVersion {
  @Integer({ about: 'The version.', min: 1 })
  version!: number;

  @Uuid({ about: 'The fact that it is.' })
  fact_id!: string;

  @Flag({ about: 'Whether this version is a deletion.' })
  cleared!: boolean;

  @Text({ about: 'Its text; null of a deletion.', nullable: true })
  content!: string | null;

  @Integer({ about: 'Bytes of the text in UTF-8.', min: 0 })
  bytes!: number;

  @Text({ about: 'BLAKE3 of the text; null of a deletion.', nullable: true })
  hash!: string | null;

  @DateTime({ about: 'When it was stored.' })
  stored_at!: string;

  @Text({ about: 'The principal that wrote it.', nullable: true })
  written_by!: string | null;

  @Text({ about: 'The signed receipt of it.', nullable: true })
  receipt_id!: string | null;
}

export class LayerVersions {
  @Text({ about: 'The project.' })
  project_id!: string;

  @Text({ about: 'The plane; null: the layer is of the project itself.', nullable: true })
  plane_id!: string | null;

  @Text({ about: 'The layer.' })
  layer!: string;

  @ListOf({
    about: 'Its versions, newest first. A page ends early before its texts exceed 4 MiB.',
    type: () => LayerVersion,
  })
  versions!: LayerVersion[];

  @PageCount()
  count!: number;

  @Flag({ about: 'Whether there is another page.' })
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}
