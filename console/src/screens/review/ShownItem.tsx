import type { ReactNode } from 'react';
import { useHasSession } from '../../client/identity.ts';
import { Button } from '../../components/Button.tsx';
import { Section } from '../../components/Page.tsx';
import { ItemDetail } from './ItemDetail.tsx';
import { deciderOf, type ReviewItem } from './review-items.ts';
import type { ReviewActions } from './useReviewKeys.ts';

/** The item that has the focus, with what can be done about it. */
export function ShownItem({
  item,
  actions,
  isDeciding,
  selectedCount,
  children,
}: {
  item: ReviewItem;
  actions: ReviewActions;
  /** The server is asked: until it answers no other decision is sent. */
  isDeciding: boolean;
  selectedCount: number;
  children: ReactNode;
}) {
  const hasSession = useHasSession();
  const isOutOfReach = item.decide.server === 'api' && !hasSession;
  const decision = { right: deciderOf(item), isDisabled: isOutOfReach, isPending: isDeciding };
  return (
    <Section title="Decision">
      <div className="row">
        <Button {...decision} look="primary" shortcut="a" onPress={actions.approve}>
          Approve
        </Button>
        <Button {...decision} look="danger" shortcut="r" onPress={actions.reject}>
          Reject
        </Button>
        {item.kind === 'candidate' && (
          <Button right="write" shortcut="e" onPress={actions.edit} isPending={isDeciding}>
            Edit
          </Button>
        )}
        {selectedCount > 0 && (
          <Button right="write" shortcut="Shift+A" onPress={actions.approveAll}>
            Approve {selectedCount} selected
          </Button>
        )}
        <Button look="quiet" shortcut="u" onPress={actions.undo}>
          Undo
        </Button>
      </div>
      <ItemDetail item={item} />
      {(item.kind === 'gate' || item.kind === 'mint_request') && children}
    </Section>
  );
}
