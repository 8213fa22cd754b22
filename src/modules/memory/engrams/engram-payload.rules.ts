import { z } from 'zod';
import { storedText } from '../../../common/fields/stored-text.js';
import type { Issue } from '../../../common/problem/common-problems.js';
import { NAMED_DIGEST } from '../../../evidence/digest-forms.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { CAPABILITY_CLASSES, GENERATED_CLASSES, type Engram } from './engrams.types.js';

/** As Agent Skills names them. */
export const ENGRAM_NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
export const NAME_FORM = '1 to 64 of a-z, 0-9 and -, the first and the last a letter or digit';
/** Characters of a content. */
const MAX_CONTENT = 65_536;

const digest = () =>
  z.string('expected blake3:<64 hex> or sha256:<64 hex>').regex(NAMED_DIGEST, {
    error: 'expected blake3: or sha256: and 64 lower-case hexadecimal digits',
  });
const modelClass = () => z.enum(CAPABILITY_CLASSES, { error: `expected one of ${CAPABILITY_CLASSES.join(', ')}` });

/** What an entity of the kind engram holds. */
export const ENGRAM_PAYLOAD = z.strictObject({
  name: storedText(64).optional(),
  description: storedText(1024).optional(),
  content: storedText(MAX_CONTENT),
  intent_bucket: storedText(64).nullish(),
  query_pattern: storedText(1000).nullish(),
  capability_class_min: modelClass().nullish(),
  capability_class_max: modelClass().nullish(),
  enabled: z.boolean('expected true or false').default(true),
  generated_class: z
    .enum(GENERATED_CLASSES, { error: `expected one of ${GENERATED_CLASSES.join(', ')}` })
    .default('authored'),
  inherited_reason: storedText(1000).nullish(),
  policy_hash: digest().nullish(),
  prompt_hash: digest().nullish(),
  source_chunk_hashes: z
    .array(digest(), 'expected a list of digests')
    .max(200, 'expected at most 200 digests')
    .optional(),
  /** Added when it is stored; what is sent back is made again. */
  screened: z.unknown().optional(),
});

export type EngramPayload = z.infer<typeof ENGRAM_PAYLOAD>;

/**
 * The payload of the engram of a name, or what is wrong with it.
 * @param where the path of the payload
 * @param named that of the name
 */
export function readEngramPayload(
  name: string,
  payload: unknown,
  where: string,
  named = 'path.id',
): EngramPayload | Issue[] {
  if (!ENGRAM_NAME.test(name)) return [{ path: named, message: `is no name of an engram: expected ${NAME_FORM}` }];
  const { success, data, error } = ENGRAM_PAYLOAD.safeParse(payload);
  if (!success) return error.issues.flatMap((issue) => issuesOf(issue, where));
  if (data.name !== undefined && data.name !== name)
    return [{ path: `${where}.name`, message: `must be ${name}, as in the address, or be left out` }];
  if (!isRange(data))
    return [{ path: `${where}.capability_class_max`, message: 'must not be below capability_class_min' }];
  if (data.generated_class === 'inherited' && !data.inherited_reason)
    return [{ path: `${where}.inherited_reason`, message: 'is needed with generated_class inherited' }];
  return data;
}

function issuesOf(issue: z.core.$ZodIssue, where: string): Issue[] {
  const at = [where, ...issue.path].join('.');
  if (issue.code !== 'unrecognized_keys') return [{ path: at, message: issue.message }];
  return issue.keys.map((key) => ({
    path: `${at}.${key}`,
    message: `is not a member of an engram; those there are: ${Object.keys(ENGRAM_PAYLOAD.shape).join(', ')}`,
  }));
}

const isRange = ({ capability_class_min: min, capability_class_max: max }: EngramPayload): boolean =>
  !min || !max || CAPABILITY_CLASSES.indexOf(min) <= CAPABILITY_CLASSES.indexOf(max);

/** What is known of a version but its payload. */
export type EngramOrigin = Pick<Engram, 'name' | 'version' | 'source' | 'createdAt' | 'createdBy'>;

/** @returns undefined where the payload is none, as of an entity that was stored before the kind had rules */
export function engramOf(origin: EngramOrigin, payload: unknown): Engram | undefined {
  const data = readEngramPayload(origin.name, payload, 'payload');
  if (Array.isArray(data)) return undefined;
  return {
    ...origin,
    description: data.description ?? '',
    content: data.content,
    hash: blake3Digest(data.content),
    enabled: data.enabled,
    intentBucket: data.intent_bucket ?? null,
    queryPattern: data.query_pattern ?? null,
    classMin: data.capability_class_min ?? null,
    classMax: data.capability_class_max ?? null,
    generatedClass: data.generated_class,
    inheritedReason: data.inherited_reason ?? null,
    policyHash: data.policy_hash ?? null,
    promptHash: data.prompt_hash ?? null,
    sourceChunkHashes: data.source_chunk_hashes ?? [],
  };
}
