import { useAnswer } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Details } from '../../components/Details.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { readOperatorVersion } from '../../generated/daemon/sdk.gen.ts';

export function VersionSection() {
  const version = useAnswer(['version'], () => readOperatorVersion());
  return (
    <Section title="Version">
      <Answer query={version} rows={7}>
        {({ version: name, commit, built_at, started_at, node, postgresql, migrations, build_features }) => (
          <Details
            items={[
              ['svc', name],
              ['Commit', commit && <Identifier value={commit} isShort />],
              ['Built', <Time key="built" at={built_at} isExact />],
              ['Started', <Time key="started" at={started_at} isExact />],
              ['Node.js', node],
              ['PostgreSQL', postgresql],
              [
                'Migrations',
                <span key="migrations" className="row">
                  {migrations.applied} of {migrations.known} applied
                  {migrations.applied !== migrations.known && <Badge tone="bad">differs</Badge>}
                </span>,
              ],
              ['Built with', build_features.join(', ') || 'no optional feature'],
            ]}
          />
        )}
      </Answer>
    </Section>
  );
}
