import type { Digest } from '../../../evidence/digest.js';

/** How capable a model is, the least first (D43). */
export const CAPABILITY_CLASSES = ['small', 'standard', 'large', 'frontier'] as const;
export type CapabilityClass = (typeof CAPABILITY_CLASSES)[number];
/** Patterns of models in their order: the first that fits counts. */
export type ModelClasses = readonly (readonly [pattern: string, is: CapabilityClass])[];

/** How an engram came to be: written, made from other content, or taken over. */
export const GENERATED_CLASSES = ['authored', 'derived', 'inherited'] as const;
export type GeneratedClass = (typeof GENERATED_CLASSES)[number];

/** Where an engram is kept: an entity of the tenant, or a file of the server for all tenants. */
type EngramSource = 'entity' | 'file';

/** The kind of entity that engrams are. */
export const ENGRAM_KIND = 'engram';

/** A version of an engram. */
export interface Engram {
  name: string;
  version: number;
  description: string;
  content: string;
  /** Of the content. */
  hash: Digest;
  enabled: boolean;
  intentBucket: string | null;
  queryPattern: string | null;
  classMin: CapabilityClass | null;
  classMax: CapabilityClass | null;
  generatedClass: GeneratedClass;
  inheritedReason: string | null;
  policyHash: string | null;
  promptHash: string | null;
  sourceChunkHashes: readonly string[];
  source: EngramSource;
  /** When this version was stored. */
  createdAt: Date;
  createdBy: string;
}

/** An engram that applies, and why. */
export interface Applicable {
  engram: Engram;
  why: string;
}
