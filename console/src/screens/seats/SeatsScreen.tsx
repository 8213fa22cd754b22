import { useState } from 'react';
import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { DataTable, type Column } from '../../components/DataTable.tsx';
import { SelectField } from '../../components/fields.tsx';
import { NeedsSession } from '../../components/NeedsSession.tsx';
import { Page } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listSeats } from '../../generated/api/sdk.gen.ts';
import type { OrgSeat, OrgSeatsBillingSummary } from '../../generated/api/types.gen.ts';
import { InviteSeat } from './InviteSeat.tsx';
import { SeatDialog } from './SeatDialog.tsx';

const STATES = [
  { value: 'all', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'pending', label: 'Invited' },
  { value: 'revoked', label: 'Revoked' },
];
const TONES = { active: 'good', pending: 'warn', revoked: 'plain' } as const;

const COLUMNS: Column<OrgSeat>[] = [
  { name: 'E-mail', width: 'minmax(12rem, 2fr)', cell: ({ userEmail }) => userEmail },
  { name: 'Role', width: '6rem', cell: ({ role }) => role },
  { name: 'State', width: '7rem', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
  { name: 'Invited', width: '8rem', cell: ({ invitedAt }) => <Time at={invitedAt} /> },
  { name: 'Accepted', width: '8rem', cell: ({ acceptedAt }) => <Time at={acceptedAt} /> },
];

/** People who may sign in to the tenant. */
export default function SeatsScreen() {
  return (
    <Page title="Seats" description="People of the tenant, with the role that says what each may do.">
      <h2 className="visually-hidden">List</h2>
      <NeedsSession what="Seats">
        <Seats />
      </NeedsSession>
    </Page>
  );
}

function Seats() {
  const [status, setStatus] = useState('all');
  const [isInviting, setInviting] = useState(false);
  const [opened, setOpened] = useState<OrgSeat>();
  const pages = usePages(['seats', status], (cursor) =>
    listSeats({
      query: {
        limit: 100,
        ...(cursor === undefined ? {} : { cursor }),
        ...(status === 'all' ? {} : { status: status as OrgSeat['status'] }),
      },
    }),
  );
  return (
    <>
      <div className="filters">
        <SelectField label="State" value={status} onChange={setStatus} choices={STATES} />
        <Button look="primary" onPress={() => setInviting(true)}>
          Invite somebody
        </Button>
      </div>
      <Answer query={pages} rows={6}>
        {(answers) => {
          const rows = answers.flatMap(({ seats }) => seats);
          return (
            <>
              {answers[0] && <Billing {...answers[0].billing} />}
              {rows.length === 0 ? (
                <Empty title="No seats">Invite the first person by e-mail; keys work without a seat.</Empty>
              ) : (
                <DataTable
                  label="Seats"
                  columns={COLUMNS}
                  rows={rows}
                  rowKey={({ id }) => id}
                  onOpen={setOpened}
                  loadMore={pages.hasNextPage ? () => pages.fetchNextPage() : undefined}
                  isLoadingMore={pages.isFetchingNextPage}
                />
              )}
            </>
          );
        }}
      </Answer>
      <InviteSeat isOpen={isInviting} onClose={() => setInviting(false)} />
      {opened && <SeatDialog key={opened.id} seat={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function Billing({ activeSeats, pendingSeats, includedSeats, overageSeats, overageGbp }: OrgSeatsBillingSummary) {
  return (
    <p className="quiet number">
      {activeSeats} active and {pendingSeats} invited of {includedSeats} included
      {overageSeats > 0 && `; ${overageSeats} more cost £${overageGbp.toFixed(2)} a month`}.
    </p>
  );
}
