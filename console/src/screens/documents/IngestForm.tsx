import { useEffect, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { fieldError } from '../../client/field-errors.ts';
import { useIdentity } from '../../client/identity.ts';
import { useAnswer, useChange } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { useDraft } from '../../components/drafts.ts';
import { TextField } from '../../components/fields.tsx';
import { Form } from '../../components/FormDialog.tsx';
import { Notice } from '../../components/Notice.tsx';
import { Answer } from '../../components/states.tsx';
import { ingestDocument, readIngest } from '../../generated/api/sdk.gen.ts';
import type { IngestRequest, IngestStatus } from '../../generated/api/types.gen.ts';

const EMPTY = { corpusId: '', docId: '', title: '', url: '', content: '' };
const EVERY_MS = 1_000;

export function IngestForm({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Ingest a text" isOpen={isOpen} onClose={onClose} isWide>
      <Fields onClose={onClose} />
    </Dialog>
  );
}

function Fields({ onClose }: { onClose: () => void }) {
  const { draft, change, clear } = useDraft('ingest', EMPTY);
  const { tenant } = useIdentity();
  const send = useChange(
    // The client sets the key of the request itself.
    (body: IngestRequest) => ingestDocument({ body, headers: { 'x-idempotency-key': crypto.randomUUID() } }),
    ['documents'],
  );
  const submit = () => send.mutate({ tenantId: tenant, ...draft }, { onSuccess: clear });
  if (send.data) return <Progress id={send.data.ingestId} onClose={onClose} />;
  const field = (name: keyof typeof EMPTY, label: string) => ({
    ...{ label, value: draft[name], error: fieldError(send.error, name), isRequired: true },
    onChange: (value: string) => change({ [name]: value }),
  });
  return (
    <Form
      submit="Ingest"
      onSubmit={submit}
      onClose={onClose}
      isReady={Object.values(draft).every((text) => text.trim() !== '')}
      isPending={send.isPending}
      failure={send.error}
    >
      <div className="columns">
        <TextField {...field('corpusId', 'Corpus')} isMono />
        <TextField {...field('docId', 'Document')} isMono />
      </div>
      <TextField {...field('title', 'Title')} />
      <TextField {...field('url', 'Address of the original')} type="url" />
      <TextField {...field('content', 'Text')} isMultiline />
    </Form>
  );
}

const isOver = (status: IngestStatus['status'] | undefined) => status === 'completed' || status === 'failed';

function Progress({ id, onClose }: { id: string; onClose: () => void }) {
  const [status, setStatus] = useState<IngestStatus['status']>();
  const queries = useQueryClient();
  const ask = () => readIngest({ path: { id } });
  const state = useAnswer(['ingest', id], ask, isOver(status) ? {} : { everyMs: EVERY_MS });
  const now = state.data?.status;
  useEffect(() => {
    setStatus(now);
    if (isOver(now)) void queries.invalidateQueries({ queryKey: ['documents'] });
  }, [now, queries]);
  return (
    <div className="stack">
      <Answer query={state} rows={1}>
        {({ status: shown, error }) => (
          <Notice
            tone={shown === 'failed' ? 'bad' : shown === 'completed' ? 'good' : 'plain'}
            title={`Ingest: ${shown}`}
          >
            {shown === 'failed'
              ? error
              : shown === 'completed'
                ? 'Its passages can be found.'
                : 'This goes on without this dialog.'}
          </Notice>
        )}
      </Answer>
      <div className="row end">
        <Button onPress={onClose}>Close</Button>
      </div>
    </div>
  );
}
