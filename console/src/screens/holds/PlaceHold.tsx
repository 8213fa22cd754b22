import { useDeferredValue } from 'react';
import { fieldError } from '../../client/field-errors.ts';
import { useIdentity } from '../../client/identity.ts';
import { useAnswer, useChange } from '../../client/queries.ts';
import { useDraft } from '../../components/drafts.ts';
import { TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { linesOf } from '../../components/lines.ts';
import { Notice } from '../../components/Notice.tsx';
import { announce } from '../../components/toasts.tsx';
import { listFacts, placeLegalHold } from '../../generated/daemon/sdk.gen.ts';

const EMPTY = { reason: '', prefixes: '' };
const CHANGED = ['holds', 'overview', 'receipts'];

export function PlaceHold({
  isOpen,
  onClose,
  onPlaced,
}: {
  isOpen: boolean;
  onClose: () => void;
  onPlaced: (id: string) => void;
}) {
  const { tenant } = useIdentity();
  const { draft, change, clear } = useDraft('place a hold', EMPTY);
  const place = useChange(
    () =>
      placeLegalHold({
        body: { tenant_id: tenant, reason: draft.reason.trim(), entity_prefixes: linesOf(draft.prefixes) },
      }),
    CHANGED,
  );
  const send = () =>
    place.mutate(undefined, {
      onSuccess: ({ hold }) => {
        clear();
        onClose();
        announce('The hold is placed.');
        onPlaced(hold.id);
      },
    });
  return (
    <FormDialog
      title="Place a legal hold"
      isOpen={isOpen}
      onClose={onClose}
      submit="Place the hold"
      onSubmit={send}
      isReady={draft.reason.trim() !== ''}
      isPending={place.isPending}
      failure={place.error}
    >
      <TextField
        label="Reason"
        value={draft.reason}
        onChange={(reason) => change({ reason })}
        isRequired
        error={fieldError(place.error, 'reason')}
        hint="The matter, as those will read it who find a deletion refused."
      />
      <TextField
        label="Prefixes of entities"
        value={draft.prefixes}
        onChange={(prefixes) => change({ prefixes })}
        isMultiline
        isMono
        error={fieldError(place.error, 'entity_prefixes')}
        hint="One a line, as project:apollo. None pins the whole tenant."
      />
      <Extent prefixes={linesOf(draft.prefixes)} />
    </FormDialog>
  );
}

const COUNTED = 50;

/** What the hold would pin, of the facts that this sign-in sees. */
function Extent({ prefixes }: { prefixes: readonly string[] }) {
  const asked = useDeferredValue(prefixes.join('\n'));
  const scopes = asked === '' ? [undefined] : asked.split('\n').slice(0, 20);
  return (
    <Notice tone="warn" title={asked === '' ? 'This would pin the whole tenant' : 'This would pin'}>
      <ul className="plain-list">
        {scopes.map((prefix) => (
          <FactsUnder key={prefix ?? ''} prefix={prefix} />
        ))}
      </ul>
      <p className="quiet">Facts that are shown now are counted; entities, edges and older versions are pinned too.</p>
    </Notice>
  );
}

function FactsUnder({ prefix }: { prefix: string | undefined }) {
  const facts = useAnswer(['facts', 'under', prefix ?? null], () =>
    listFacts({ query: { limit: COUNTED, ...(prefix === undefined ? {} : { entity_prefix: prefix }) } }),
  );
  const count = facts.data?.facts.length;
  const words =
    count === undefined
      ? facts.error
        ? `not counted: ${facts.error.message}`
        : 'counting'
      : `${count}${facts.data?.next_cursor ? ' or more' : ''} ${count === 1 ? 'fact' : 'facts'}`;
  return (
    <li>
      {prefix === undefined ? 'Everything' : <code>{prefix}*</code>}: {words}
    </li>
  );
}
