import { Link, useParams } from 'wouter';
import { decoded } from '../../client/parameters.ts';
import { useAnswer } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { DataTable, type Column } from '../../components/DataTable.tsx';
import { Details } from '../../components/Details.tsx';
import { Diff } from '../../components/Diff.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listEdges, listEntityVersions, readEntity } from '../../generated/daemon/sdk.gen.ts';
import type { EntityRecord } from '../../generated/daemon/types.gen.ts';
import { entityAddress, neighboursOf, type Neighbour } from './neighbourhood.ts';
import { NeighbourhoodPicture } from './NeighbourhoodPicture.tsx';

interface Named {
  kind: string;
  id: string;
}

/** An entity, what it shares edges with, and what it was before. */
export default function EntityScreen() {
  const params = useParams<{ kind: string; id: string }>();
  const named = { kind: decoded(params.kind), id: decoded(params.id) };
  const entity = useAnswer(['entities', 'one', named.kind, named.id], () => readEntity({ path: named }));
  return (
    <Page title={`${named.kind} ${named.id}`} description={<Link href="/graph">All entities</Link>}>
      <Neighbourhood {...named} />
      <div className="columns">
        <Section title="Entity">
          <Answer query={entity}>{({ entity: found }) => <About entity={found} />}</Answer>
        </Section>
        <History {...named} />
      </div>
    </Page>
  );
}

const textOf = (value: unknown) => JSON.stringify(value, null, 2);

function About({ entity }: { entity: EntityRecord }) {
  return (
    <>
      <Details
        items={[
          ['State', entity.deleted ? <Badge tone="warn">deleted</Badge> : <Badge tone="good">stored</Badge>],
          ['Version', entity.version],
          ['Changed', <Time key="changed" at={entity.updated_at} isExact />],
          ['Changed by', entity.updated_by],
        ]}
      />
      <h3>Payload</h3>
      <p className="value mono">{textOf(entity.payload)}</p>
    </>
  );
}

const COLUMNS: Column<Neighbour>[] = [
  { name: 'Direction', width: '4.5rem', cell: ({ isOutgoing }) => (isOutgoing ? 'to' : 'from') },
  {
    name: 'Edge',
    width: 'minmax(6rem, 1fr)',
    cell: ({ edge }) => <code title={edge.edge_kind}>{edge.edge_kind}</code>,
  },
  { name: 'Kind', width: 'minmax(5rem, 0.8fr)', cell: ({ kind }) => <code title={kind}>{kind}</code> },
  { name: 'Id', width: 'minmax(7rem, 1.2fr)', cell: ({ id }) => <code title={id}>{id}</code> },
];

const MOST = 100;

function Neighbourhood({ kind, id }: Named) {
  const outgoing = useAnswer(['edges', 'from', kind, id], () =>
    listEdges({ query: { from_kind: kind, from_id: id, limit: MOST } }),
  );
  const incoming = useAnswer(['edges', 'to', kind, id], () =>
    listEdges({ query: { to_kind: kind, to_id: id, limit: MOST } }),
  );
  return (
    <Section title="Neighbourhood">
      <Answer query={outgoing}>
        {(out) => (
          <Answer query={incoming}>
            {(into) => {
              const neighbours = neighboursOf(out.edges, into.edges);
              if (neighbours.length === 0)
                return <Empty title="No edges">Store one with PUT /v1/edges, and it is drawn here.</Empty>;
              return (
                <div className="columns">
                  <NeighbourhoodPicture kind={kind} id={id} neighbours={neighbours} />
                  <div>
                    <DataTable
                      label="Edges"
                      columns={COLUMNS}
                      rows={neighbours}
                      rowKey={(one) => JSON.stringify([one.isOutgoing, one.edge.edge_kind, one.kind, one.id])}
                      linkOf={(one) => entityAddress(one.kind, one.id)}
                    />
                    {(out.next_cursor ?? into.next_cursor) && (
                      <p className="quiet">There are more: the first {MOST} in each direction are shown.</p>
                    )}
                  </div>
                </div>
              );
            }}
          </Answer>
        )}
      </Answer>
    </Section>
  );
}

function History({ kind, id }: Named) {
  const history = useAnswer(['entities', 'history', kind, id], () =>
    listEntityVersions({ path: { kind, id }, query: { limit: MOST } }),
  );
  return (
    <Section title="History">
      <Answer query={history}>
        {({ versions, next_cursor }) => {
          const sorted = versions.toSorted((one, other) => other.version - one.version);
          return (
            <>
              <ol className="plain-list" reversed>
                {sorted.map(({ version, stored_at, stored_by, payload, deleted }, index) => (
                  <li key={version}>
                    <p>
                      Version {version} {deleted && <Badge tone="warn">deleted</Badge>}{' '}
                      <span className="quiet">
                        <Time at={stored_at} /> by {stored_by}
                      </span>
                    </p>
                    {sorted[index + 1] && <Diff before={textOf(sorted[index + 1]!.payload)} after={textOf(payload)} />}
                  </li>
                ))}
              </ol>
              {next_cursor && <p className="quiet">There are more than these {MOST} versions.</p>}
            </>
          );
        }}
      </Answer>
    </Section>
  );
}
