import { parseDocument } from 'yaml';
import { isRecord } from '../../../evidence/canonical-json.js';
import { readEngramPayload, type EngramPayload } from './engram-payload.rules.js';

/** Of a file, of its front matter, and of folders below the root. */
export const SKILL_LIMITS = { bytes: 131_072, frontMatter: 8192, folders: 1000 } as const;

/** An engram as its SKILL.md says it. */
export interface Skill {
  version: number;
  payload: EngramPayload;
}

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?\n)?---[ \t]*(?:\r?\n|$)/;
/** What an engram has on top of the members of Agent Skills: in the front matter itself, or below metadata. */
const OWN = [
  ...['intent_bucket', 'query_pattern', 'capability_class_min', 'capability_class_max', 'enabled'],
  ...['generated_class', 'inherited_reason', 'policy_hash', 'prompt_hash', 'source_chunk_hashes'],
];

/** Reads the SKILL.md of the folder of a name. @throws Error saying what is wrong with it */
export function readSkill(name: string, text: string): Skill {
  const [head, yaml = ''] = FRONT_MATTER.exec(text) ?? [];
  if (head === undefined) throw new Error('has no front matter: it begins with a line ---');
  const front = readFrontMatter(yaml);
  const metadata = isRecord(front.metadata) ? front.metadata : {};
  if (front.name !== name) throw new Error('name: must be that of the folder');
  const given = { ...pick(metadata), ...pick(front) };
  const content = text.slice(head.length).replaceAll('\r\n', '\n').trim();
  const payload = readEngramPayload(name, { name, description: front.description, content, ...given }, '');
  if (!Array.isArray(payload)) return { version: versionOf(metadata.version), payload };
  throw new Error(payload.map(({ path, message }) => `${path.replace(/^\./, '')}: ${message}`).join('; '));
}

/** No aliases: a few of them can stand for gigabytes. */
function readFrontMatter(yaml: string): Record<string, unknown> {
  if (yaml.length > SKILL_LIMITS.frontMatter)
    throw new Error(`has a front matter of more than ${SKILL_LIMITS.frontMatter} characters`);
  const document = parseDocument(yaml, { stringKeys: true, uniqueKeys: true });
  const [error] = document.errors;
  if (error) throw new Error(`has a front matter that is no YAML: ${error.message.split('\n')[0]}`);
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  if (!isRecord(value)) throw new Error('has a front matter without members');
  return value;
}

const pick = (from: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(OWN.filter((member) => member in from).map((member) => [member, plain(from[member])]));

/** Agent Skills has texts alone below metadata. */
const plain = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);

/** A file has the version that it names; its hash says what it was made of. */
function versionOf(given: unknown): number {
  const version = Number(given);
  return Number.isInteger(version) && version > 0 && version < 2 ** 31 ? version : 1;
}
