import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { ReasonDialog } from '../../components/ReasonDialog.tsx';
import { asksWhyApproved, keyOf, needsReason, type ReviewItem } from './review-items.ts';

/** Why an item is rejected, or approved where that has to be said. */
export function DecisionDialog({
  item,
  isApproval,
  onClose,
  onDecide,
}: {
  item: ReviewItem;
  isApproval: boolean;
  onClose: () => void;
  onDecide: (reason: string | undefined) => void;
}) {
  const verb = isApproval ? 'Approve' : 'Reject';
  return (
    <ReasonDialog
      name={`${verb} ${keyOf(item)}`}
      title={`${verb}: ${item.title}`}
      confirm={verb}
      look={isApproval ? 'primary' : 'danger'}
      isRequired={isApproval ? asksWhyApproved(item) : needsReason(item)}
      isOpen
      onClose={onClose}
      onConfirm={(reason, done) => {
        done();
        onDecide(reason);
      }}
    />
  );
}

/** The token of an approval, which the server shows once. */
export function TokenDialog({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <Dialog title="The approval's token" isOpen onClose={onClose}>
      <p>
        Who asked sends the same call again and needs no token. This one names the approval in it, if wanted; it works
        once and is shown here alone.
      </p>
      <Identifier value={token} />
      <div className="row end">
        <Button look="primary" onPress={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}

const KEYS: [key: string, what: string][] = [
  ['j, k', 'The next item, the one before'],
  ['a', 'Approve the item'],
  ['r', 'Reject it, with a reason'],
  ['e', 'Edit a candidate'],
  ['x', 'Select a candidate, or not'],
  ['Shift+A', 'Approve all that are selected'],
  ['u', 'Undo the last promotion'],
  ['?', 'Show these keys'],
];

export function KeysDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Keys of this screen" isOpen={isOpen} onClose={onClose}>
      <dl className="details">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
