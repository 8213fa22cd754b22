import { Link } from 'wouter';
import { useAnswer } from '../../client/queries.ts';
import { counted } from '../../components/counted.ts';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { findFacts } from '../../generated/daemon/sdk.gen.ts';
import { ScoreBars } from './ScoreBars.tsx';

const MOST = 20;

/** Facts in the order in which the daemon ranks them; it says no score of them but the confidence. */
export function FoundFacts({ query }: { query: string }) {
  const found = useAnswer(['facts', 'found', query], () => findFacts({ query: { query, top_k: MOST } }));
  return (
    <Answer query={found}>
      {({ facts, total_tokens }) =>
        facts.length === 0 ? (
          <Empty title="No fact found">Take other words, or look through the list of facts.</Empty>
        ) : (
          <>
            <p className="quiet number">
              {facts.length} found, {counted(total_tokens, 'token')}
            </p>
            <ol className="plain-list results">
              {facts.map(({ fact_id, entity, key, value, confidence, stored_at }) => (
                <li key={fact_id}>
                  <Link href={`/facts/${encodeURIComponent(fact_id)}`}>
                    {entity} {key}
                  </Link>
                  <p className="value">{value}</p>
                  <ScoreBars parts={[['confidence', confidence]]} />
                  <p className="quiet">
                    <Time at={stored_at} />
                  </p>
                </li>
              ))}
            </ol>
          </>
        )
      }
    </Answer>
  );
}
