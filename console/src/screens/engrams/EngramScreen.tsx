import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { decoded } from '../../client/parameters.ts';
import { useAnswer } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { readEngram } from '../../generated/daemon/sdk.gen.ts';
import type { EngramWithContent } from '../../generated/daemon/types.gen.ts';
import { EngramForm } from './EngramForm.tsx';
import { EngramLabels } from './EngramLabels.tsx';
import { EngramVersions } from './EngramVersions.tsx';

/** One engram: what it says, to whom it is given, and what it said before. */
export default function EngramScreen() {
  const name = decoded(useParams<{ name: string }>().name);
  const query = useAnswer(['engrams', 'one', name], () => readEngram({ path: { name } }));
  const [isWriting, setWriting] = useState(false);
  // A file of the server is written there.
  const old = query.data?.engram.source === 'entity' ? query.data.engram : undefined;
  return (
    <Page
      title={name}
      description={<Link href="/engrams">All engrams</Link>}
      actions={
        old && (
          <Button right="write" onPress={() => setWriting(true)}>
            New version
          </Button>
        )
      }
    >
      <Answer query={query} rows={8}>
        {({ engram, labels }) => (
          <>
            <Section title="Content">
              <p className="text-body">{engram.content}</p>
            </Section>
            <div className="columns">
              <About engram={engram} />
              <EngramLabels engram={engram} labels={labels} />
            </div>
          </>
        )}
      </Answer>
      <EngramVersions name={name} />
      {isWriting && old && <EngramForm old={old} onClose={() => setWriting(false)} />}
    </Page>
  );
}

function About({ engram }: { engram: EngramWithContent }) {
  const from = engram.capability_class_min ?? 'any';
  return (
    <Section title="About">
      <Details
        items={[
          [
            'State',
            <Badge key="state" tone={engram.enabled ? 'good' : 'plain'}>
              {engram.enabled ? 'given out' : 'switched off'}
            </Badge>,
          ],
          ['When to use it', engram.description],
          ['Version', engram.version],
          ['For', engram.intent_bucket],
          ['Tasks', engram.query_pattern],
          ['Models', `from ${from} to ${engram.capability_class_max ?? 'any'}`],
          ['Made', engram.generated_class],
          ['Inherited', engram.inherited_reason],
          ['Stored', <Time key="stored" at={engram.created_at_unix_ms} isExact />],
          ['Stored by', engram.created_by],
          ['Hash', <Identifier key="hash" value={engram.hash} isShort />],
          ['From', engram.source === 'file' ? 'a file of the server' : 'the tenant'],
        ]}
      />
    </Section>
  );
}
