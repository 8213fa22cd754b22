import { useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { useDraft } from '../../components/drafts.ts';
import { TextField } from '../../components/fields.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Section } from '../../components/Page.tsx';
import type { PinnedKey } from '../../verify/keys.ts';
import { pin, unpin } from './pinned-key.ts';

const EMPTY = { text: '' };

/** A key from elsewhere, at which trust begins instead of at what the daemon serves. */
export function PinKey({ pinned }: { pinned: PinnedKey | undefined }) {
  const { draft, change, clear } = useDraft('pinned key', EMPTY);
  const [error, setError] = useState<string>();
  const submit = async () => {
    try {
      await pin(draft.text);
      clear();
      setError(undefined);
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
    }
  };
  return (
    <Section title="Pinned key">
      {pinned ? (
        <div className="stack">
          <p>
            Trust begins at <Identifier value={pinned.kid} isShort />
            {pinned.logName && ` of the log ${pinned.logName}`}. It is kept until this page is closed.
          </p>
          <div className="row">
            <Button onPress={unpin}>Use the daemon's keys</Button>
          </div>
        </div>
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <TextField
            label="The server's first key"
            hint="From svc key pin, or from whoever you trust: a note verifier key, a JWK, or its x"
            isMono
            value={draft.text}
            error={error}
            autoComplete="off"
            onChange={(text) => change({ text })}
          />
          <div className="row">
            <Button type="submit" isDisabled={draft.text.trim() === ''}>
              Pin
            </Button>
          </div>
        </form>
      )}
    </Section>
  );
}
