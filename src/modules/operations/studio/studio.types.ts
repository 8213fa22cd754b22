import type { Digest } from '../../../evidence/digest.js';

export const PACKAGE_SCHEMA = 'svc.studio-package/1';
/** Ids of packages: the names of their folders. */
export const PACKAGE_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

export const ITEM_TYPES = ['engram', 'kind', 'layer'] as const;
export type StudioItemType = (typeof ITEM_TYPES)[number];

/** Where a package comes from: svc itself, or SVCD_STUDIO_DIR. */
export const PACKAGE_SOURCES = ['svc', 'folder'] as const;
export type PackageSource = (typeof PACKAGE_SOURCES)[number];

/**
 * What an install does with an item: `create`, `update` (it is as an install left it), `replace` (it has other content,
 * and the request says so), `unchanged`, `conflict` (it has other content).
 */
export const INSTALL_ACTIONS = ['create', 'update', 'replace', 'unchanged', 'conflict'] as const;
export type InstallAction = (typeof INSTALL_ACTIONS)[number];

/** An item of a package: an engram or a kind is stored as an entity, a layer as a text of a project. */
export interface StudioItem {
  type: StudioItemType;
  name: string;
  /** The payload of an entity; the text of a layer. */
  content: unknown;
}

export interface StudioPackage {
  id: string;
  version: string;
  title: string;
  description: string;
  source: PackageSource;
  /** Of its files (docs/formats/studio-package.md). */
  digest: Digest;
  /** By type and name. */
  items: StudioItem[];
}

/** What keeps a folder from being a package. */
export interface PackageFault {
  path: string;
  problem: string;
}
