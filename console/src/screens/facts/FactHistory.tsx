import { Link } from 'wouter';
import { useAnswer } from '../../client/queries.ts';
import { Diff } from '../../components/Diff.tsx';
import { Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listFacts } from '../../generated/daemon/sdk.gen.ts';
import type { FactReply } from '../../generated/daemon/types.gen.ts';

const MOST = 100;

/** The versions of the same entity and key, each with what it changed. */
export function FactHistory({ fact: { fact_id, entity, key } }: { fact: FactReply }) {
  const query = { entity_prefix: entity, include_superseded: true, include_reserved: true, limit: MOST };
  const list = useAnswer(['facts', 'history', entity, key], () => listFacts({ query }));
  return (
    <Section title="History">
      <Answer query={list}>
        {({ facts, has_more }) => {
          const versions = facts.filter((one) => one.entity === entity && one.key === key);
          return (
            <>
              <ol className="plain-list" reversed>
                {versions.map((version, index) => (
                  <li key={version.fact_id} aria-current={version.fact_id === fact_id ? 'true' : undefined}>
                    <Version version={version} before={versions[index + 1]} isShown={version.fact_id === fact_id} />
                  </li>
                ))}
              </ol>
              {has_more && (
                <p className="quiet">
                  Only versions among the newest {MOST} facts under this entity are looked through.
                </p>
              )}
            </>
          );
        }}
      </Answer>
    </Section>
  );
}

function Version({
  version,
  before,
  isShown,
}: {
  version: FactReply;
  before: FactReply | undefined;
  isShown: boolean;
}) {
  const title = `Version ${version.version}`;
  return (
    <div>
      <p>
        {isShown ? (
          <strong>{title}, shown</strong>
        ) : (
          <Link href={`/facts/${encodeURIComponent(version.fact_id)}`}>{title}</Link>
        )}{' '}
        <span className="quiet">
          <Time at={version.stored_at} /> by {version.written_by ?? 'unknown'}
        </span>
      </p>
      {before ? <Diff before={before.value} after={version.value} /> : <p className="value">{version.value}</p>}
    </div>
  );
}
