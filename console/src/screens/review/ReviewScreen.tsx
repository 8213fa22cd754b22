import { useEffect, useRef, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { decoded } from '../../client/parameters.ts';
import { useAnswer } from '../../client/queries.ts';
import { useWhyNot } from '../../client/rights.ts';
import { useActingPassport, ActingPassportField } from '../../components/acting-passport.tsx';
import { Button } from '../../components/Button.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { announce } from '../../components/toasts.tsx';
import { listReviewQueue } from '../../generated/daemon/sdk.gen.ts';
import { DecisionDialog, KeysDialog, TokenDialog } from './dialogs.tsx';
import { EditCandidate } from './EditCandidate.tsx';
import { QueueTable } from './QueueTable.tsx';
import { addressOf, asksWhyApproved, deciderOf, keyOf, shownItem, type ReviewItem } from './review-items.ts';
import { ShownItem } from './ShownItem.tsx';
import { useDecisions } from './useDecisions.ts';
import { useReviewKeys } from './useReviewKeys.ts';
import './review.css';

const MOST = 200;

type Asking = { item: ReviewItem; what: 'approve' | 'reject' | 'edit' };

/** Everything that waits for a decision, in one list. */
export default function ReviewScreen() {
  const queue = useAnswer(['review', 'queue'], () => listReviewQueue({ query: { limit: MOST } }));
  const [areKeysShown, showKeys] = useState(false);
  return (
    <Page
      title="Review"
      description="Everything that waits for a decision, the oldest first."
      actions={
        <Button look="quiet" shortcut="?" onPress={() => showKeys(true)}>
          Keys
        </Button>
      }
    >
      <Answer query={queue} rows={8}>
        {({ items, has_more }) => (
          <>
            <Inbox items={items} onKeys={() => showKeys(true)} />
            {has_more && <p className="quiet">More waits than the {MOST} shown: it moves up as you decide.</p>}
          </>
        )}
      </Answer>
      <KeysDialog isOpen={areKeysShown} onClose={() => showKeys(false)} />
    </Page>
  );
}

/** The item that the address names, which follows the focus. */
function useFocusedItem(items: readonly ReviewItem[]) {
  const { kind, id } = useParams<{ kind?: string; id?: string }>();
  const [, navigate] = useLocation();
  const [index, setIndex] = useState(0);
  const item = shownItem(items, { key: `${kind}/${decoded(id)}`, index });
  const setItem = (next: ReviewItem) => {
    setIndex(items.indexOf(next));
    navigate(addressOf(next), { replace: true });
  };
  return [item, setItem] as const;
}

function Inbox({ items: all, onKeys }: { items: readonly ReviewItem[]; onKeys: () => void }) {
  const decisions = useDecisions();
  const { passport } = useActingPassport();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asking, setAsking] = useState<Asking>();
  const items = all.filter((item) => !decisions.leaving.has(keyOf(item)));
  const [item, setItem] = useFocusedItem(items);
  const isDeciding = item !== undefined && decisions.working.has(keyOf(item));
  const list = useRef<HTMLDivElement>(null);
  const decide = (one: ReviewItem, isApproval: boolean, reason = '') => {
    setAsking(undefined);
    void decisions.decide(one, { isApproval, reason, passport });
  };
  useFocusAfter(list, decisions.leaving.size, asking !== undefined);
  const whyNot = useWhyNot(item && deciderOf(item));
  const actions = {
    approve: () => {
      if (whyNot) return announce(whyNot);
      if (item) return asksWhyApproved(item) ? setAsking({ item, what: 'approve' }) : decide(item, true);
    },
    reject: () => (whyNot ? announce(whyNot) : item && setAsking({ item, what: 'reject' })),
    edit: () => item?.kind === 'candidate' && setAsking({ item, what: 'edit' }),
    select: () => item?.kind === 'candidate' && setSelected(toggled(selected, keyOf(item))),
    approveAll: () => {
      const chosen = items.filter((one) => selected.has(keyOf(one)) && !decisions.working.has(keyOf(one)));
      setSelected(new Set());
      if (chosen.length > 0) void decisions.promoteAll(chosen);
    },
    undo: () => void decisions.undoLast(),
    keys: onKeys,
  };
  useReviewKeys(list, actions, asking === undefined && decisions.token === undefined && !isDeciding);
  return (
    <>
      {items.length === 0 || !item ? (
        <Section title="Inbox">
          <Empty title="Nothing waits">
            Candidates, gates, approvals, passports and access requests come here by themselves, as soon as somebody
            asks.
          </Empty>
        </Section>
      ) : (
        <div className="review-split">
          <div ref={list}>
            <QueueTable
              {...{ items, item, setItem, selected }}
              onSelect={(one) => setSelected(toggled(selected, keyOf(one)))}
            />
          </div>
          <ShownItem key={keyOf(item)} {...{ item, actions, isDeciding }} selectedCount={selected.size}>
            <ActingPassportField hint="Where the decision needs one: gates and passports. Who asked never decides." />
          </ShownItem>
        </div>
      )}
      {asking && asking.what !== 'edit' && (
        <DecisionDialog
          item={asking.item}
          isApproval={asking.what === 'approve'}
          onClose={() => setAsking(undefined)}
          onDecide={(reason) => decide(asking.item, asking.what === 'approve', reason)}
        />
      )}
      {asking?.what === 'edit' && <EditCandidate item={asking.item} onClose={() => setAsking(undefined)} />}
      {decisions.token && <TokenDialog token={decisions.token} onClose={decisions.forgetToken} />}
    </>
  );
}

const toggled = (set: ReadonlySet<string>, key: string) =>
  set.has(key) ? new Set([...set].filter((one) => one !== key)) : new Set([...set, key]);

/** How often it is looked whether the dialog is gone, which would take the focus from the row. */
const FOCUS_AFTER_MS = 50;

/** Once an item has left the list, the row in its place has the focus, whatever happens to the list meanwhile. */
function useFocusAfter(list: React.RefObject<HTMLDivElement | null>, leaving: number, isAsking: boolean) {
  const before = useRef(0);
  const timer = useRef<ReturnType<typeof setInterval>>(undefined);
  useEffect(() => {
    const hasLeft = leaving > before.current;
    before.current = leaving;
    if (isAsking) return clearInterval(timer.current);
    if (!hasLeft) return;
    clearInterval(timer.current);
    timer.current = setInterval(() => {
      if (document.querySelector('[role="dialog"]')) return;
      clearInterval(timer.current);
      list.current?.querySelector<HTMLElement>('.table-row[tabindex="0"]')?.focus();
    }, FOCUS_AFTER_MS);
  }, [list, leaving, isAsking]);
  useEffect(() => () => clearInterval(timer.current), []);
}
