import { Link } from 'wouter';
import { useAnswer } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Section } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { readEffectiveLayers } from '../../generated/daemon/sdk.gen.ts';

/** What holds in the project, of which layers, and what it takes the place of. */
export function EffectiveLayersPart({ id }: { id: string }) {
  const layers = useAnswer(['layers', 'effective', id], () => readEffectiveLayers({ path: { id } }));
  return (
    <Answer query={layers} rows={5}>
      {({ text, hash, parts, overridden }) =>
        parts.length === 0 ? (
          <Empty title="No layer holds here">
            <code>PUT /v1/projects/{id}/layers/&lt;name&gt;</code> writes one.
          </Empty>
        ) : (
          <div className="stack">
            <Section title="Text that holds" actions={<Identifier value={hash} isShort />}>
              <p className="project-text">{text}</p>
            </Section>
            <Section title="Made of">
              <ul className="plain-list">
                {parts.map(({ layer, origin, fact_id, version, bytes }) => (
                  <li key={fact_id}>
                    <Badge>{origin}</Badge> <Link href={`/facts/${encodeURIComponent(fact_id)}`}>{layer}</Link>{' '}
                    <span className="quiet number">
                      version {version}, {bytes.toLocaleString()} bytes
                    </span>
                  </li>
                ))}
                {overridden.map(({ layer, origin, fact_id, overridden_by }) => (
                  <li key={fact_id}>
                    <Badge tone="warn">replaced</Badge> {layer} of the {origin}, by that of the {overridden_by}
                  </li>
                ))}
              </ul>
            </Section>
          </div>
        )
      }
    </Answer>
  );
}
