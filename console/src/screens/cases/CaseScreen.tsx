import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { isStillThere, useAnswer, useChange } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { ConfirmDialog } from '../../components/Dialog.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Notice } from '../../components/Notice.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Answer, Failure } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { announce } from '../../components/toasts.tsx';
import { deleteCase, readCase } from '../../generated/daemon/sdk.gen.ts';
import type { MemoryCase } from '../../generated/daemon/types.gen.ts';
import { wentOf } from './CasesScreen.tsx';

/** One case. */
export default function CaseScreen() {
  const { id = '' } = useParams<{ id: string }>();
  const remove = useChange<void, unknown>(() => deleteCase({ path: { id } }), ['cases', 'receipts']);
  const query = useAnswer(['cases', 'one', id], () => readCase({ path: { id } }), { isEnabled: isStillThere(remove) });
  return (
    <Page
      title="Case"
      description={<Link href="/cases">All cases</Link>}
      actions={query.data && <DeleteCase remove={remove} />}
    >
      <Answer query={query} rows={8}>
        {({ case: found }) => <Case found={found} />}
      </Answer>
    </Page>
  );
}

const TEXTS: [title: string, of: 'task' | 'context' | 'action' | 'outcome' | 'lesson'][] = [
  ['What was to be done', 'task'],
  ['In what', 'context'],
  ['What was done', 'action'],
  ['How it went', 'outcome'],
  ['What to do the next time', 'lesson'],
];

function Case({ found }: { found: MemoryCase }) {
  return (
    <>
      {found.quarantined && (
        <Notice tone="warn" title="Set aside">
          An incident has set it aside: it is read by its id alone, and no agent is given it.
        </Notice>
      )}
      <Section title="About">
        <Details
          items={[
            [
              'Went',
              <Badge key="went" tone={found.success ? 'good' : 'bad'}>
                {wentOf(found.success)}
              </Badge>,
            ],
            ['Reward', found.reward.toFixed(2)],
            ['Tags', found.tags.join(', ')],
            ['Masked secrets', found.screened.length],
            ['Recorded', <Time key="recorded" at={found.created_at} isExact />],
            ['Recorded by', found.created_by],
            [
              'Receipt',
              <Link key="receipt" href={`/receipts/${found.receipt_id}`}>
                {found.receipt_id}
              </Link>,
            ],
            ['Learnt from', found.source_receipt],
            ['Id', <Identifier key="id" value={found.case_id} />],
          ]}
        />
      </Section>
      {TEXTS.map(
        ([title, of]) =>
          found[of] && (
            <Section key={of} title={title}>
              <p className="text-body">{found[of]}</p>
            </Section>
          ),
      )}
    </>
  );
}

function DeleteCase({ remove }: { remove: ReturnType<typeof useChange<void, unknown>> }) {
  const [isAsking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        announce('The case is deleted.');
        navigate('/cases');
      },
    });
  return (
    <>
      <Button right="write" look="danger" onPress={() => setAsking(true)}>
        Delete
      </Button>
      <ConfirmDialog
        title="Delete this case?"
        confirm="Delete"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={confirm}
        isPending={remove.isPending}
      >
        <p>No agent is given it any more. Its receipts stay. A legal hold refuses this.</p>
        {remove.error && <Failure failure={remove.error} />}
      </ConfirmDialog>
    </>
  );
}
