import { Command } from 'commander';
import type { Settings } from '../common/config/settings.js';
import type { VectorSpace } from '../common/embeddings/vector-space.types.js';
import { ensureSpace, FIND_SPACES } from '../common/embeddings/vector-spaces.store.js';
import type { Query } from '../common/tenancy/cross-tenant.js';
import { listSpaces, type SpaceStatus } from './embeddings/space-status.js';
import { acrossTenants } from './migrated.js';
import { print, UserError, type OutputOptions } from './output.js';

export const embeddingsCommand = (): Command =>
  new Command('embeddings')
    .description('show how far memory and passages have vectors; make all vectors again')
    .addCommand(status())
    .addCommand(rebuild());

const status = () =>
  new Command('status')
    .description('the spaces of vectors in use, what they hold and what waits')
    .option('--json', 'print one JSON object')
    .action((options: OutputOptions) =>
      acrossTenants(async (query, settings) => {
        const answer = { endpoint: endpointOf(settings), spaces: await listSpaces(query) };
        print(options, answer, () => [
          answer.endpoint ? `Endpoint ${answer.endpoint}` : 'No endpoint is set here (SVC_EMBEDDINGS_URL).',
          ...answer.spaces.flatMap(describe),
        ]);
      }),
    );

const rebuild = () =>
  new Command('rebuild')
    .description('make all vectors again in the background; those there are serve until the new ones are whole')
    .option('--json', 'print one JSON object')
    .action((options: OutputOptions) =>
      acrossTenants(async (query) => {
        const [serving, building] = await query<VectorSpace>(FIND_SPACES);
        const known = building ?? serving;
        if (!known) throw new UserError('There are no vectors yet: start the API with SVC_EMBEDDINGS_URL');
        await inTransaction(query, () => ensureSpace(query, known, { isForced: true }));
        const answer = { ok: true, spaces: await listSpaces(query) };
        print(options, answer, () => [
          ...answer.spaces.flatMap(describe),
          'The API makes them while it runs; "svc embeddings status" shows how far it is.',
        ]);
      }),
    );

/** Without what may be secret in it. */
function endpointOf({ retrieval }: Settings): string | null {
  return retrieval.embeddingsUrl === undefined ? null : new URL(retrieval.embeddingsUrl).origin;
}

async function inTransaction(query: Query, work: () => Promise<unknown>): Promise<void> {
  await query('begin');
  await work();
  await query('commit');
}

const countsOf = ({ facts, cases, engrams, candidates, passages }: SpaceStatus['embedded']): string =>
  `${facts} facts, ${cases} cases, ${engrams} engrams, ${candidates} candidates and ${passages} passages`;

const describe = ({ name, state, dimensions, embedded, waiting, failed_at: at, reason }: SpaceStatus): string[] => [
  `${state.padEnd(9)} ${name}, ${dimensions ?? 'no'} dimensions: ${countsOf(embedded)} embedded, ${countsOf(waiting)} wait`,
  ...(reason === null ? [] : [`          failed ${at}: ${reason}`]),
];
