import type { Query } from '../tenancy/cross-tenant.js';
import { isAsWanted, nameOf } from './vector-space.rules.js';
import type { VectorSpace, WantedSpace } from './vector-space.types.js';

const SPACE_COLUMNS = `space_id as "spaceId", name, model, asked_dimensions as "askedDimensions", dimensions,
  query_prefix as "queryPrefix", passage_prefix as "passagePrefix", input_tokens as "inputTokens", state`;

/** The spaces in use: the one that serves, then the one in the making. */
export const FIND_SPACES = `select ${SPACE_COLUMNS} from vector_space where state <> 'retired' order by state desc`;

/** What the settings of a process ask for, as a space. */
export const wantedSpace = (settings: {
  embeddingsModel: string;
  embeddingsDimensions?: number | undefined;
  embeddingsQueryPrefix?: string | undefined;
  embeddingsPassagePrefix?: string | undefined;
  embeddingsInputTokens: number;
}): WantedSpace => ({
  model: settings.embeddingsModel,
  askedDimensions: settings.embeddingsDimensions ?? null,
  queryPrefix: settings.embeddingsQueryPrefix ?? '',
  passagePrefix: settings.embeddingsPassagePrefix ?? '',
  inputTokens: settings.embeddingsInputTokens,
});

/**
 * Makes the space that is asked for, unless there is one. The very first serves from the beginning; later ones are made
 * next to the one that serves, and what was in the making before is given up.
 * @param isForced make it again even if there is one
 * @returns whether it was made now
 */
export async function ensureSpace(
  query: Query,
  wanted: WantedSpace,
  { answered, isForced = false }: { answered?: number | undefined; isForced?: boolean },
): Promise<boolean> {
  await query(`select pg_advisory_xact_lock(hashtextextended('svc vector spaces', 0))`);
  const spaces = await query<VectorSpace>(FIND_SPACES);
  const [serving, building] = [spaces.find(isServing), spaces.find((space) => !isServing(space))];
  const known = building ?? serving;
  if (!isForced && known && isAsWanted(known, wanted, answered)) {
    await query(
      'update vector_space set query_prefix = $2, dimensions = coalesce(dimensions, $3) where space_id = $1',
      [known.spaceId, wanted.queryPrefix, answered ?? null],
    );
    return false;
  }
  await query(`update vector_space set state = 'retired' where state = 'building'`);
  // What serves is asked for again: it stays.
  if (!isForced && serving && isAsWanted(serving, wanted, answered)) return false;
  const names = await query<{ name: string }>('select name from vector_space');
  await query(
    `insert into vector_space (name, model, asked_dimensions, dimensions, query_prefix, passage_prefix, input_tokens, state, serving_since)
     values ($1, $2, $3, $4, $5, $6, $7, $8, case $8 when 'serving' then now() end)`,
    [
      nameOf(
        wanted,
        names.map(({ name }) => name),
      ),
      wanted.model,
      wanted.askedDimensions,
      answered ?? null,
      wanted.queryPrefix,
      wanted.passagePrefix,
      wanted.inputTokens,
      serving ? 'building' : 'serving',
    ],
  );
  return true;
}

/** The space in the making serves from now on. */
export async function promoteSpace(query: Query, spaceId: number): Promise<void> {
  await query(`select pg_advisory_xact_lock(hashtextextended('svc vector spaces', 0))`);
  const [still] = await query(`select from vector_space where space_id = $1 and state = 'building'`, [spaceId]);
  if (!still) return;
  await query(`update vector_space set state = 'retired' where state = 'serving'`);
  await query(
    `update vector_space set state = 'serving', serving_since = now(), failed_at = null, reason = null where space_id = $1`,
    [spaceId],
  );
}

const isServing = ({ state }: VectorSpace): boolean => state === 'serving';
