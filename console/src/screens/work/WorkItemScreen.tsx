import { useParams } from 'wouter';
import { decoded } from '../../client/parameters.ts';
import { useAnswer } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { LinkButton } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Json } from '../../components/Json.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { readWork } from '../../generated/daemon/sdk.gen.ts';
import type { WorkItem } from '../../generated/daemon/types.gen.ts';
import { Comments } from './Comments.tsx';
import { Blockers, Transitions } from './history.tsx';
import { LeaseSection } from './LeaseSection.tsx';
import { obstacleOf, STATES, TONES } from './work-states.ts';

/** One item of work: what it is, who holds it, what blocks it and how it came here. */
export default function WorkItemScreen() {
  const id = decoded(useParams<{ id: string }>().id);
  const work = useAnswer(['work', 'item', id], () => readWork({ path: { id } }));
  return (
    <Page title={work.data?.title ?? 'Work item'} actions={<LinkButton to="/work">All work</LinkButton>}>
      <Answer query={work} rows={6}>
        {(item) => (
          <>
            <div className="columns">
              <ItemSection item={item} />
              <LeaseSection item={item} />
            </div>
            <div className="columns">
              <Comments id={id} />
              <div className="stack">
                <Blockers id={id} />
                <Transitions id={id} />
              </div>
            </div>
          </>
        )}
      </Answer>
    </Page>
  );
}

function ItemSection({ item }: { item: WorkItem }) {
  return (
    <Section title="Item">
      <p className="row">
        <Badge tone={TONES[item.state]}>{STATES[item.state]}</Badge>
        {item.labels.map((label) => (
          <Badge key={label}>{label}</Badge>
        ))}
      </p>
      {item.body && <p className="text-body">{item.body}</p>}
      {item.body_truncated && <p className="quiet">The text goes on: the server shows its beginning.</p>}
      <Details
        items={[
          ['Blocked by', obstacleOf(item)],
          ['Priority', item.priority],
          ['Project', item.project_id],
          ['Assigned to', item.assignee_passport],
          ['Made by', item.created_by_passport],
          ['Pull request', item.linked_pr],
          ['Issue', item.linked_issue],
          ['Made', <Time at={item.created_at} />],
          ['Changed', <Time at={item.updated_at} />],
          ['Version', item.version],
          ['Id', <Identifier value={item.id} />],
        ]}
      />
      <Json value={item} />
    </Section>
  );
}
