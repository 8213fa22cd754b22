import { Flag, Integer, Text, Uuid } from '../../../common/fields/fields.js';
import { SLUG } from '../projects/projects.types.js';
import { BaseVersion, LayerName } from './layers.dto.js';
import { MAX_CONTENT } from './layers.types.js';

export class SyncLayer {
  @Text({
    about: 'A file below SVCD_LAYERS_ROOT, relative to it, with slashes: no `..`, and no link on the way.',
    min: 1,
    max: 1024,
    example: 'lighthouse/style.md',
  })
  source_path!: string;

  @LayerName('The layer that is written.')
  layer!: string;

  @Text({
    about: 'The plane whose layer it is; that of the project itself when absent.',
    optional: true,
    max: 63,
    pattern: SLUG,
  })
  plane_id?: string;

  @Integer({ about: 'Bytes of the file at most.', min: 1, max: MAX_CONTENT, default: 256 * 1024 })
  max_bytes!: number;

  @Flag({ about: 'Whether to write it; without, only what would change is answered.', default: false })
  confirm!: boolean;

  @BaseVersion()
  base_version?: number;
}

/** What a file does to a layer, or did. */
export class LayerSynced {
  @Text({ about: 'The project.' })
  project_id!: string;

  @Text({ about: 'The plane; null: the layer is of the project itself.', nullable: true })
  plane_id!: string | null;

  @Text({ about: 'The layer.' })
  layer!: string;

  @Text({ about: 'The file.' })
  source_path!: string;

  @Flag({ about: 'Whether the layer was written: `confirm` was sent, and the file has another text than the layer.' })
  applied!: boolean;

  @Flag({ about: 'Whether the file has another text than the layer.' })
  changed!: boolean;

  @Integer({ about: 'The version of the layer, after this; 0: there never was such a layer.', min: 0 })
  version!: number;

  @Integer({ about: 'Bytes of the file.', min: 0 })
  bytes!: number;

  @Text({ about: 'BLAKE3 of its text.' })
  hash!: string;

  @Text({
    about: 'What changes, as a unified diff; empty where nothing does, null where it is too much to be compared.',
    nullable: true,
  })
  diff!: string | null;

  @Uuid({ about: 'The fact that was written; null: none was.', nullable: true })
  fact_id!: string | null;

  @Text({ about: 'The signed receipt of it; null: none was written.', nullable: true })
  receipt_id!: string | null;
}
