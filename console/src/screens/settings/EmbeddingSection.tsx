import { useChange } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { Section } from '../../components/Page.tsx';
import { Failure } from '../../components/states.tsx';
import { probeEmbedding } from '../../generated/daemon/sdk.gen.ts';

const TONES = { ok: 'good', not_configured: 'warn', failed: 'bad' } as const;
const WORDS = { ok: 'answers', not_configured: 'not configured', failed: 'fails' };

/** Tries the endpoint of embeddings with one fixed text, when asked to: it may cost something. */
export function EmbeddingSection() {
  const probe = useChange(() => probeEmbedding(), []);
  return (
    <Section
      title="Embeddings"
      actions={
        <Button right="write" onPress={() => probe.mutate(undefined)} isPending={probe.isPending}>
          Try the endpoint
        </Button>
      }
    >
      <p className="quiet">Sends one fixed text to SVC_EMBEDDINGS_URL. Without it search goes by words alone.</p>
      {probe.error && <Failure failure={probe.error} />}
      {probe.data && (
        <div role="status" className="stack">
          <p className="row">
            <Badge tone={TONES[probe.data.status]}>{WORDS[probe.data.status]}</Badge> {probe.data.detail}
          </p>
          <Details
            items={[
              ['Model', probe.data.model],
              ['Dimension', probe.data.dimension],
              ['Latency', probe.data.latency_ms === null ? null : `${probe.data.latency_ms} ms`],
            ]}
          />
        </div>
      )}
    </Section>
  );
}
