import type { Settings } from '../../common/config/settings.js';
import { EmbeddingsClient } from '../../common/embeddings/embeddings-client.js';
import type { Check } from '../../common/health/check.js';
import type { Query } from '../../common/tenancy/cross-tenant.js';
import { listSpaces } from '../embeddings/space-status.js';
import { Advice } from './examine.js';

const TIMEOUT_MS = 5_000;

/** That the endpoint of SVC_EMBEDDINGS_URL embeds a text, in the dimensions of the vectors there are. */
export const embeddingsCheck = (settings: Settings, ask: Query): Check => ({
  name: 'embeddings',
  remedy: 'docs/embeddings.md',
  run: async () => {
    const client = new EmbeddingsClient(settings);
    if (!client.isConfigured) return 'no endpoint is asked (SVC_EMBEDDINGS_URL)';
    const answered = await client.embed(['svc'], { timeoutMs: TIMEOUT_MS, attempts: 1 }).then(
      ({ vectors }) => vectors[0]!.length,
      (error: Error) => error,
    );
    if (typeof answered !== 'number')
      throw new Advice(
        `${answered.message}; words alone rank`,
        'See that the endpoint of SVC_EMBEDDINGS_URL runs, has SVC_EMBEDDINGS_MODEL and takes SVC_EMBEDDINGS_API_KEY and SVC_EMBEDDINGS_DIMENSIONS.',
      );
    const spaces = await listSpaces(ask);
    const { model } = client;
    const isMade = spaces.some((space) => space.model === model && (space.dimensions ?? answered) === answered);
    if (spaces.length > 0 && !isMade)
      throw new Advice(
        `${model} gives ${answered} dimensions, and the vectors are of ${spaces.map(({ name, dimensions }) => `${name} (${dimensions ?? '?'})`).join(', ')}`,
        'Start the API again: it makes the vectors of the new model, and the old ones serve until then.',
      );
    return `${model} gives ${answered} dimensions`;
  },
});
