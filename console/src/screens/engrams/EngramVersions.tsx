import { usePages } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Diff } from '../../components/Diff.tsx';
import { Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listEngramVersions } from '../../generated/daemon/sdk.gen.ts';

/** What it said in each version, with what that changed. */
export function EngramVersions({ name }: { name: string }) {
  const pages = usePages(['engrams', 'versions', name], (cursor) =>
    listEngramVersions({
      path: { name },
      query: { limit: 20, ...(cursor === undefined ? {} : { cursor }) },
    }),
  );
  return (
    <Section title="Versions">
      <Answer query={pages}>
        {(read) => {
          const versions = read.flatMap((page) => page.versions);
          return (
            <ol className="plain-list" reversed>
              {versions.map((one, index) => (
                <li key={one.version}>
                  <p>
                    <strong>Version {one.version}</strong>{' '}
                    <span className="quiet">
                      <Time at={one.created_at_unix_ms} /> by {one.created_by}
                    </span>
                  </p>
                  <Change before={versions[index + 1]?.content} after={one.content} />
                </li>
              ))}
            </ol>
          );
        }}
      </Answer>
      {pages.hasNextPage && <Button onPress={() => void pages.fetchNextPage()}>Older versions</Button>}
    </Section>
  );
}

function Change({ before, after }: { before: string | undefined; after: string }) {
  return (
    <details>
      <summary>{before === undefined ? 'What it said' : 'What it changed'}</summary>
      {before === undefined ? <p className="text-body">{after}</p> : <Diff before={before} after={after} />}
    </details>
  );
}
