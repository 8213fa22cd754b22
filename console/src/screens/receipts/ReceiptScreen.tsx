import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'wouter';
import { useIdentity } from '../../client/identity.ts';
import { decoded } from '../../client/parameters.ts';
import type { RequestFailure } from '../../client/request-failure.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Json } from '../../components/Json.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { saveJson } from '../../components/save-json.ts';
import { announce } from '../../components/toasts.tsx';
import { plainOf } from '../../verify/cbor.ts';
import { verifyReceipt, type Verdict } from '../../verify/verify.ts';
import { addressOf, provesNobody, receiptAddress } from './about.ts';
import { DaemonsWord } from './DaemonsWord.tsx';
import { gather, type Gathered } from './gather.ts';
import { PinKey } from './PinKey.tsx';
import { usePinnedKey } from './pinned-key.ts';
import { VerdictSection } from './VerdictSection.tsx';
import './receipts.css';

/** One receipt, verified here: the daemon's own opinion counts for nothing. */
export default function ReceiptScreen() {
  const { id } = useParams<{ id: string }>();
  const receiptId = decoded(id);
  const { tenant } = useIdentity();
  const pinned = usePinnedKey();
  const query = useQuery<{ gathered: Gathered; verdict: Verdict }, RequestFailure>({
    // Not by the name of a resource: what it reads takes many requests, and events are frequent.
    queryKey: ['verified receipt', tenant, receiptId, pinned?.kid, pinned?.logName],
    queryFn: async () => {
      const gathered = await gather(receiptId, tenant, pinned);
      return { gathered, verdict: await verifyReceipt(gathered.evidence) };
    },
  });
  const file = query.data?.gathered.file;
  return (
    <Page
      title="Receipt"
      description={<Identifier value={receiptId} />}
      actions={
        <>
          <Button onPress={() => void query.refetch()} isPending={query.isFetching}>
            Verify again
          </Button>
          <Button right="export" onPress={() => download(file, receiptId)} isDisabled={!file}>
            Export
          </Button>
        </>
      }
    >
      <Answer query={query} rows={8}>
        {({ gathered, verdict }) => (
          <>
            <VerdictSection verdict={verdict} pinned={pinned} />
            <div className="columns">
              <Record verdict={verdict} />
              <Chain gathered={gathered} verdict={verdict} />
            </div>
          </>
        )}
      </Answer>
      <div className="columns">
        <PinKey pinned={pinned} />
        <DaemonsWord receiptId={receiptId} />
      </div>
    </Page>
  );
}

function download(file: unknown, receiptId: string): void {
  saveJson(`receipt-${receiptId}`, file);
  announce('The export was saved. svc verify FILE checks it offline.');
}

function Record({ verdict: { receipt } }: { verdict: Verdict }) {
  if (!receipt)
    return (
      <Section title="Record">
        <p>Its bytes have not the form of a receipt. The checks say what is wrong with them.</p>
      </Section>
    );
  const { kind, actor, authMode, occurredAt, subject, tenant, payloadHash, body } = receipt;
  const about = addressOf(kind, subject);
  const session = body.get('session_id');
  const mode = <Badge tone={provesNobody(authMode) ? 'warn' : 'plain'}>{authMode}</Badge>;
  return (
    <Section title="Record">
      <Details
        items={[
          ['Kind', <code key="kind">{kind}</code>],
          ['About', subject && (about ? <Link href={about}>{subject}</Link> : <Identifier value={subject} />)],
          ['By', actor],
          ['Signed in by', mode],
          ['When', <Time key="when" at={occurredAt} isExact />],
          ['Session', typeof session === 'string' ? <Identifier value={session} /> : null],
          ['Tenant', tenant],
          ['Digest', <Identifier key="digest" value={payloadHash} isShort />],
        ]}
      />
      {provesNobody(authMode) && (
        <p className="quiet">In this mode nobody proved who they were: the record shows what was done, not by whom.</p>
      )}
      <Json value={plainOf(body)} label="What happened (body)" />
    </Section>
  );
}

function Chain({ gathered: { previousId, nextId }, verdict: { receipt } }: { gathered: Gathered; verdict: Verdict }) {
  const link = (id: string | undefined, otherwise: string) =>
    id ? <Link href={receiptAddress(id)}>{id}</Link> : <span className="quiet">{otherwise}</span>;
  return (
    <Section title="Chain">
      {receipt?.family === 'retrieval' ? (
        <p className="quiet">Retrieval receipts are in no chain. Their place in the log binds them.</p>
      ) : (
        <Details
          items={[
            ['Stream', receipt?.stream],
            ['Number', receipt?.seq?.toLocaleString()],
            ['Previous', link(previousId, receipt?.prev === null ? 'none: the first of its stream' : 'unknown')],
            ['Next', link(nextId, 'none among the newest')],
          ]}
        />
      )}
    </Section>
  );
}
