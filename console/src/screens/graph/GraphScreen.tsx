import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { useDraft } from '../../components/drafts.ts';
import { CheckboxField, TextField } from '../../components/fields.tsx';
import { Page } from '../../components/Page.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listEntities } from '../../generated/daemon/sdk.gen.ts';
import type { EntityList, EntityRecord } from '../../generated/daemon/types.gen.ts';
import { entityAddress } from './neighbourhood.ts';

const NO_FILTER = { kind: '', includeDeleted: false };

const COLUMNS: Column<EntityRecord>[] = [
  { name: 'Kind', width: '10rem', cell: ({ kind }) => <code title={kind}>{kind}</code> },
  { name: 'Id', width: '16rem', cell: ({ id }) => <code title={id}>{id}</code> },
  {
    name: 'State',
    width: '6rem',
    cell: ({ deleted }) => (deleted ? <Badge tone="warn">deleted</Badge> : <Badge tone="good">stored</Badge>),
  },
  { name: 'Version', width: '5rem', isNumber: true, cell: ({ version }) => version },
  { name: 'Changed', width: '8rem', cell: ({ updated_at }) => <Time at={updated_at} /> },
  { name: 'By', width: 'minmax(8rem, 1fr)', cell: ({ updated_by }) => updated_by },
];

const entitiesOf = ({ entities }: EntityList) => entities;

/** Entities, from which one goes on to what they share edges with. */
export default function GraphScreen() {
  const { draft: filter, change } = useDraft('graph filter', NO_FILTER);
  const query = {
    limit: 100,
    ...(filter.kind ? { kind: filter.kind } : {}),
    ...(filter.includeDeleted ? { include_deleted: true } : {}),
  };
  const pages = usePages(
    ['entities', 'list', filter],
    (cursor) => listEntities({ query: { ...query, ...(cursor ? { cursor } : {}) } }),
    { rowsIn: ({ entities }) => entities.length },
  );
  return (
    <Page title="Graph" description="Entities and the edges between them.">
      <div className="row" role="search" aria-label="Entities">
        <TextField
          label="Kind, exactly"
          type="search"
          isMono
          value={filter.kind}
          onChange={(kind) => change({ kind })}
        />
        <CheckboxField
          label="Deleted too"
          isSelected={filter.includeDeleted}
          onChange={(includeDeleted) => change({ includeDeleted })}
        />
      </div>
      <h2 className="visually-hidden">List</h2>
      <PagedTable
        pages={pages}
        rowsOf={entitiesOf}
        label="Entities"
        columns={COLUMNS}
        rowKey={({ kind, id }) => JSON.stringify([kind, id])}
        linkOf={({ kind, id }) => entityAddress(kind, id)}
        empty={
          <Empty title={filter.kind ? 'No entity of this kind' : 'No entities yet'}>
            {filter.kind
              ? 'Kinds are compared exactly; leave the field empty for all.'
              : 'Store one with PUT /v1/entities/{kind}/{id}.'}
          </Empty>
        }
      />
    </Page>
  );
}
