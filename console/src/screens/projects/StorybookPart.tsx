import { useAnswer, useChange } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Section } from '../../components/Page.tsx';
import { Answer, Empty, Failure } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { announce, announceFailure } from '../../components/toasts.tsx';
import { generateStorybook, listStorybookVersions, readLatestStorybook } from '../../generated/daemon/sdk.gen.ts';
import type { StorybookSection, StorybookShown } from '../../generated/daemon/types.gen.ts';
import { AnchorLink } from './AnchorLink.tsx';

/** The newest storybook: each statement with what it rests on. */
export function StorybookPart({ id }: { id: string }) {
  // A project without one is no failure: whether there is a version is asked first.
  const versions = useAnswer(['storybooks', id, 'versions'], () =>
    listStorybookVersions({ path: { id }, query: { limit: 1 } }),
  );
  const generate = useChange(() => generateStorybook({ path: { id } }), ['storybooks', 'receipts']);
  const run = () =>
    generate.mutate(undefined, {
      onSuccess: ({ same_as_before }) =>
        announce(same_as_before ? 'Nothing has changed since the last.' : 'Generated of what holds now.'),
      onError: announceFailure,
    });
  const button = (
    <Button right="write" onPress={run} isPending={generate.isPending}>
      Generate
    </Button>
  );
  return (
    <div className="stack">
      {generate.error && <Failure failure={generate.error} />}
      <Answer query={versions} rows={8}>
        {({ count }) =>
          count > 0 ? (
            <Latest id={id} button={button} />
          ) : (
            <Empty title="No storybook yet" action={button}>
              It is made of facts, layers, work and receipts alone; each statement names what it rests on.
            </Empty>
          )
        }
      </Answer>
    </div>
  );
}

function Latest({ id, button }: { id: string; button: React.ReactNode }) {
  const book = useAnswer(['storybooks', id], () => readLatestStorybook({ path: { id }, query: { claims: true } }));
  return (
    <Answer query={book} rows={8}>
      {(found) => (
        <>
          <Stats book={found} button={button} />
          {found.sections.map((section) => (
            <Part key={section.id} section={section} />
          ))}
        </>
      )}
    </Answer>
  );
}

function Stats({
  book: { created_at, stats, title, receipt_id },
  button,
}: {
  book: StorybookShown;
  button: React.ReactNode;
}) {
  return (
    <Section title={title} actions={button}>
      <p className="row">
        <span>
          Generated <Time at={created_at} />
        </span>
        <span className="quiet number">
          {stats.statements} statements of {stats.facts} facts, {stats.layers} layers, {stats.work} work items,{' '}
          {stats.receipts} receipts
        </span>
        <AnchorLink kind="receipt" id={receipt_id} />
      </p>
    </Section>
  );
}

function Part({ section: { title, claims = [], cut } }: { section: StorybookSection }) {
  return (
    // No landmark: its title may be that of a part of the navigation.
    <div className="section">
      <h2>{title}</h2>
      {claims.length === 0 ? (
        <p className="quiet">Nothing.</p>
      ) : (
        <ul className="plain-list">
          {claims.map(({ claim_id, text, anchors }) => (
            <li key={claim_id}>
              <p className="project-text">{text}</p>
              <span className="row">
                {anchors.map(({ kind, id }) => (
                  <AnchorLink key={`${kind} ${id}`} kind={kind} id={id} />
                ))}
              </span>
            </li>
          ))}
        </ul>
      )}
      {cut && <p className="quiet">The section is cut; there is more in the project.</p>}
    </div>
  );
}
