import type { OwnedFact } from '../../memory/facts/owned-facts.types.js';

/** Names of layers (D65). */
export const LAYER_NAME = /^[a-z][a-z0-9-]{0,62}$/;

/** Layers of one project or plane at most, and their bytes together: an effective view holds them whole. */
export const MAX_LAYERS = 100;
export const MAX_LAYERS_BYTES = 4 * 1024 * 1024;
/** Characters of one layer at most, as of any fact. */
export const MAX_CONTENT = 1024 * 1024;

/** Where a layer stands: a project, or one of its planes. */
export interface LayerPlace {
  projectId: string;
  planeId?: string | undefined;
}

/** Where the layers in force come from, each over the one before (D65). */
export const LAYER_ORIGINS = ['workspace', 'project', 'plane', 'session'] as const;
export type LayerOrigin = (typeof LAYER_ORIGINS)[number];

/** A current layer. */
export interface LayerText {
  layer: string;
  origin: LayerOrigin;
  /** The entity of its fact. */
  entity: string;
  fact: OwnedFact;
  /** BLAKE3 of the content. */
  hash: string;
}
