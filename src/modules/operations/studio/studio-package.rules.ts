import { parse } from 'yaml';
import { z } from 'zod';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { sha256Digest, type Digest } from '../../../evidence/digest.js';
import { LAYER_NAME } from '../../projects/layers/layers.types.js';
import { PACKAGE_SCHEMA, type InstallAction, type StudioItem, type StudioPackage } from './studio.types.js';

/** The text of each file of a package, by its path with slashes. */
export type PackageFiles = ReadonlyMap<string, string>;
/** Reads an engram of its SKILL.md. @throws Error saying what is wrong with it */
export type ReadEngram = (name: string, text: string) => unknown;

const MANIFEST = 'package.yaml';
const KIND_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const words = (max: number) => z.string().min(1).max(max);

const PACKAGE = z.strictObject({
  schema: z.literal(PACKAGE_SCHEMA),
  version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/, 'expected three numbers, such as 1.0.0'),
  title: words(200),
  description: words(1_000),
});
const KIND = z.strictObject({
  description: words(1_000),
  payload_schema: z.record(z.string(), z.unknown()),
  example: z.unknown().optional(),
});

/** Makes a package of its files. @throws Error saying what is wrong with which */
export function readPackage(id: string, files: PackageFiles, readEngram: ReadEngram): Omit<StudioPackage, 'source'> {
  const text = files.get(MANIFEST);
  if (text === undefined) throw new Error(`has no ${MANIFEST}`);
  const { version, title, description } = readYaml(PACKAGE, text, MANIFEST);
  const items = [...files]
    .filter(([path]) => path !== MANIFEST)
    .map(([path, content]) => readItem(path, content, readEngram))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  if (items.length === 0) throw new Error('has no engram, kind or layer');
  return { id, version, title, description, digest: digestOf(files), items };
}

/** SHA-256 of the RFC 8785 form of the list of its files, by path, each with the SHA-256 of its bytes. */
export function digestOf(files: PackageFiles): Digest {
  const listing = [...files]
    .map(([path, text]) => ({ path, sha256: sha256Digest(text).slice('sha256:'.length) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return sha256Digest(canonicalJson({ schema: PACKAGE_SCHEMA, files: listing }));
}

export const keyOf = ({ type, name }: Pick<StudioItem, 'type' | 'name'>): string => `${type}:${name}`;

/** Of the content of an item, as it is stored. */
export const contentDigest = (content: unknown): Digest => sha256Digest(canonicalJson(content));

/**
 * What an install does with an item.
 * @param current the digest of what the tenant has under its name; undefined: nothing
 * @param written the digests under which installs of the package wrote it
 */
export function actionOf(
  next: string,
  current: string | undefined,
  { written, replace }: { written: ReadonlySet<string>; replace: boolean },
): InstallAction {
  if (current === undefined) return 'create';
  if (current === next) return 'unchanged';
  if (written.has(current)) return 'update';
  return replace ? 'replace' : 'conflict';
}

function readItem(path: string, text: string, readEngram: ReadEngram): StudioItem {
  const [, engram] = /^engrams\/([^/]+)\/SKILL\.md$/.exec(path) ?? [];
  if (engram !== undefined) return { type: 'engram', name: engram, content: at(path, () => readEngram(engram, text)) };
  const [, kind] = /^kinds\/([^/]+)\.yaml$/.exec(path) ?? [];
  if (kind !== undefined) {
    if (!KIND_NAME.test(kind)) throw new Error(`${path} has no name of a kind: a-z, 0-9, _ and -, at most 63`);
    return { type: 'kind', name: kind, content: readYaml(KIND, text, path) };
  }
  const [, layer] = /^layers\/([^/]+)\.md$/.exec(path) ?? [];
  if (layer === undefined)
    throw new Error(`${path} is no part of a package: engrams/<name>/SKILL.md, kinds/<kind>.yaml, layers/<layer>.md`);
  if (!LAYER_NAME.test(layer)) throw new Error(`${path} has no name of a layer`);
  return { type: 'layer', name: layer, content: text };
}

/** No aliases: a few of them can stand for gigabytes. */
function readYaml<Schema extends z.ZodType>(schema: Schema, text: string, path: string): z.output<Schema> {
  const value: unknown = at<unknown>(path, () => parse(text, { maxAliasCount: 0, stringKeys: true, uniqueKeys: true }));
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw new Error(`${path}: ${issue!.path.join('.') || 'the file'}: ${issue!.message}`);
}

function at<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message.split('\n')[0]}`, { cause: error });
  }
}
