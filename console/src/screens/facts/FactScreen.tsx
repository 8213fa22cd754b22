import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { decoded } from '../../client/parameters.ts';
import { isStillThere, useAnswer, useChange } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { ConfirmDialog } from '../../components/Dialog.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Json } from '../../components/Json.tsx';
import { Notice } from '../../components/Notice.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Answer, Failure } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { announce } from '../../components/toasts.tsx';
import { readFact, retireFact } from '../../generated/daemon/sdk.gen.ts';
import type { FactReply } from '../../generated/daemon/types.gen.ts';
import { FactForm } from './FactForm.tsx';
import { FactHistory } from './FactHistory.tsx';
import { FactState } from './FactsScreen.tsx';

/** One version of a fact: what it says, what it rests on, and what stood there before. */
export default function FactScreen() {
  const id = decoded(useParams<{ id: string }>().id);
  const retire = useChange<void, unknown>(
    () => retireFact({ path: { factId: id } }),
    ['facts', 'census', 'overview', 'receipts'],
  );
  const fact = useAnswer(['facts', 'one', id], () => readFact({ path: { factId: id } }), {
    isEnabled: isStillThere(retire),
  });
  const title = fact.data ? `${fact.data.entity} ${fact.data.key}` : 'Fact';
  return (
    <Page
      title={title}
      description={<Link href="/facts">All facts</Link>}
      actions={fact.data && <Acts fact={fact.data} retire={retire} />}
    >
      <Answer query={fact}>
        {(found) => (
          <>
            {found.superseded_by && (
              <Notice tone="warn" title="A later version replaces this one">
                <Link href={`/facts/${encodeURIComponent(found.superseded_by)}`}>Show the next version</Link>
              </Notice>
            )}
            <Section title="Value">
              <p className="value">{found.value}</p>
              {found.value_truncated && <p className="quiet">The server shortened this value.</p>}
            </Section>
            <div className="columns">
              <Standing fact={found} />
              <Provenance fact={found} />
            </div>
            <FactHistory fact={found} />
            <Json value={found} />
          </>
        )}
      </Answer>
    </Page>
  );
}

type Retire = ReturnType<typeof useChange<void, unknown>>;

function Acts({ fact, retire }: { fact: FactReply; retire: Retire }) {
  const [open, setOpen] = useState<'edit' | 'retire'>();
  const close = () => setOpen(undefined);
  return (
    <>
      {/* The dialogs stay while what they changed is read again, so that they can say how it went. */}
      {!fact.superseded_by && (
        <>
          <Button right="write" onPress={() => setOpen('edit')}>
            New version
          </Button>
          <Button right="write" look="danger" onPress={() => setOpen('retire')}>
            Retire
          </Button>
        </>
      )}
      <FactForm isOpen={open === 'edit'} onClose={close} old={fact} />
      <RetireDialog isOpen={open === 'retire'} onClose={close} fact={fact} retire={retire} />
    </>
  );
}

interface RetireDialogProps {
  isOpen: boolean;
  onClose: () => void;
  fact: FactReply;
  retire: Retire;
}

function RetireDialog({ isOpen, onClose, fact, retire }: RetireDialogProps) {
  const [, navigate] = useLocation();
  const confirm = () =>
    retire.mutate(undefined, {
      onSuccess: () => {
        announce(`Retired ${fact.entity} ${fact.key}.`);
        navigate('/facts');
      },
    });
  const close = () => {
    retire.reset();
    onClose();
  };
  const isHeld = retire.error?.problem.type === 'urn:svc:errors/legal-hold';
  return (
    <ConfirmDialog
      title="Retire this fact?"
      confirm="Retire"
      {...{ isOpen, onClose: close, onConfirm: confirm, isPending: retire.isPending }}
    >
      <p>
        <code>{fact.entity}</code> <code>{fact.key}</code> is no longer found or listed. Its receipts stay.
      </p>
      {isHeld && (
        <Notice tone="warn" title="A legal hold keeps this fact">
          Nothing was changed. It can be retired once the hold is released. <Link href="/holds">Legal holds</Link>
        </Notice>
      )}
      {retire.error && <Failure failure={retire.error} />}
    </ConfirmDialog>
  );
}

const receiptLink = (id: string | null | undefined) =>
  id ? <Link href={`/receipts/${encodeURIComponent(id)}`}>{id}</Link> : null;

function Standing({ fact }: { fact: FactReply }) {
  return (
    <Section title="How it stands">
      <Details
        items={[
          ['State', <FactState key="state" fact={fact} />],
          ['Version', fact.version],
          ['Confidence', fact.confidence.toFixed(2)],
          ['Kept as', fact.horizon_class],
          ['Tokens', fact.tokens],
          ['Stored', <Time key="stored" at={fact.stored_at} isExact />],
          ['Valid from', fact.valid_from && <Time at={fact.valid_from} isExact />],
          ['Valid to', fact.valid_to && <Time at={fact.valid_to} isExact />],
        ]}
      />
    </Section>
  );
}

function Provenance({ fact }: { fact: FactReply }) {
  return (
    <Section title="Where it comes from">
      <Details
        items={[
          ['Written by', fact.written_by ?? 'unknown'],
          ['Actor', fact.actor_claimed ? `${fact.actor} (as the caller says)` : fact.actor],
          ['Receipt', receiptLink(fact.receipt_id)],
          ['Source receipt', receiptLink(fact.source_receipt)],
          ['Id', <Identifier key="id" value={fact.fact_id} />],
        ]}
      />
    </Section>
  );
}
