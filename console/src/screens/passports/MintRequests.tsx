import { useState } from 'react';
import { useChange, usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { Details } from '../../components/Details.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { useDraft } from '../../components/drafts.ts';
import { TextField } from '../../components/fields.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Empty, Failure } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { announce } from '../../components/toasts.tsx';
import { approveMintRequest, listMintRequests, rejectMintRequest } from '../../generated/daemon/sdk.gen.ts';
import type { MintRequest, MintRequestReply } from '../../generated/daemon/types.gen.ts';

const TONES = { pending: 'warn', approved: 'good', rejected: 'plain' } as const;
const COLUMNS: Column<MintRequest>[] = [
  { name: 'Passport', width: 'minmax(9rem, 1fr)', cell: ({ passport_id }) => <code>{passport_id}</code> },
  { name: 'Kind', width: '6rem', cell: ({ kind }) => kind },
  { name: 'Why', width: 'minmax(9rem, 2fr)', cell: ({ why }) => why ?? <span className="quiet">no reason</span> },
  { name: 'State', width: '7rem', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
  { name: 'Asked by', width: 'minmax(7rem, 1fr)', cell: ({ requested_by }) => requested_by },
  { name: 'Asked', width: '8rem', cell: ({ requested_at }) => <Time at={requested_at} /> },
];

/** Who asks for a passport. */
export function MintRequests() {
  const [opened, setOpened] = useState<MintRequest>();
  const pages = usePages(['passports', 'requests'], (cursor) =>
    listMintRequests({ query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } }),
  );
  return (
    <>
      <PagedTable
        label="Requests for passports"
        pages={pages}
        rowsOf={({ mint_requests }) => mint_requests}
        columns={COLUMNS}
        rowKey={({ mint_request_id }) => mint_request_id}
        onOpen={setOpened}
        empty={<Empty title="No requests">Agents ask by POST /v1/passport/mint-requests; somebody else decides.</Empty>}
      />
      {opened && <Decide key={opened.mint_request_id} request={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

const NOTHING = { reason: '' };

function Decide({ request, onClose }: { request: MintRequest; onClose: () => void }) {
  const { draft, change, clear } = useDraft(`decide on ${request.mint_request_id}`, NOTHING);
  const reason = draft.reason.trim();
  const decide = useChange<boolean, MintRequestReply>(
    (isApproved) => {
      const options = {
        path: { id: request.mint_request_id },
        body: reason ? { reason } : {},
      };
      return isApproved ? approveMintRequest(options) : rejectMintRequest(options);
    },
    ['passports', 'review', 'overview', 'receipts'],
  );
  const run = (isApproved: boolean) =>
    decide.mutate(isApproved, {
      onSuccess: () => {
        clear();
        onClose();
        announce(`The request of ${request.passport_id} is ${isApproved ? 'approved' : 'rejected'}.`);
      },
    });
  return (
    <Dialog title={request.passport_id} isOpen onClose={onClose}>
      <div className="stack">
        <Details
          items={[
            ['Name', request.display_name],
            ['Kind', request.kind],
            ['Why', request.why],
            ['Key', request.fingerprint ?? 'none'],
            ['Attested', request.attested ? 'it proved that it has the key' : 'no'],
            ['Asked by', request.requested_by],
            ['State', request.status],
            ['Decided by', request.decided_by],
            ['Reason', request.reason],
          ]}
        />
        {request.status === 'pending' && (
          <TextField label="Reason" value={draft.reason} onChange={(text) => change({ reason: text })} />
        )}
        {decide.error && <Failure failure={decide.error} />}
        <div className="row end">
          <Button onPress={onClose}>Close</Button>
          {request.status === 'pending' && (
            <>
              <Button right="administer" look="danger" onPress={() => run(false)} isPending={decide.isPending}>
                Reject
              </Button>
              <Button right="administer" look="primary" onPress={() => run(true)} isPending={decide.isPending}>
                Approve
              </Button>
            </>
          )}
        </div>
      </div>
    </Dialog>
  );
}
