import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { decoded } from '../../client/parameters.ts';
import { isStillThere, useAnswer, useChange } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { ConfirmDialog } from '../../components/Dialog.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Json } from '../../components/Json.tsx';
import { NeedsSession } from '../../components/NeedsSession.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Answer, Failure } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { announce } from '../../components/toasts.tsx';
import { deleteDocument, readDocument } from '../../generated/api/sdk.gen.ts';
import type { DocumentWithContent } from '../../generated/api/types.gen.ts';
import { DocumentText } from './DocumentText.tsx';

/** A document's text as it stands, with one passage marked where the address names one. */
export default function DocumentScreen() {
  const params = useParams<{ corpus: string; document: string; passage?: string }>();
  const [corpusId, docId, chunkId] = [decoded(params.corpus), decoded(params.document), decoded(params.passage)];
  return (
    <Page title={`Document ${docId}`} description={<Link href="/documents">All documents</Link>}>
      <h2 className="visually-hidden">Document</h2>
      <NeedsSession what="Documents">
        <Content corpusId={corpusId} docId={docId} chunkId={chunkId} />
      </NeedsSession>
    </Page>
  );
}

function Content({ corpusId, docId, chunkId }: { corpusId: string; docId: string; chunkId: string }) {
  const path = { corpusId, docId };
  const remove = useChange<void, unknown>(
    // The client sets the key of the request itself.
    () => deleteDocument({ path, headers: { 'x-idempotency-key': crypto.randomUUID() } }),
    ['documents'],
  );
  const document = useAnswer(['documents', 'one', corpusId, docId], () => readDocument({ path }), {
    isEnabled: isStillThere(remove),
  });
  return (
    <Answer query={document} rows={8}>
      {(found) => (
        <>
          <Section title={found.title} actions={<DeleteAct {...path} remove={remove} />}>
            <About document={found} />
          </Section>
          <Section title="Text">
            <DocumentText document={found} chunkId={chunkId} />
          </Section>
          <Json value={found.metadata} label="Metadata, as JSON" />
        </>
      )}
    </Answer>
  );
}

function About({ document }: { document: DocumentWithContent }) {
  return (
    <Details
      items={[
        ['Corpus', document.corpusId],
        ['Version', document.version],
        ['Shared as', document.shareability],
        ['Passages', document.chunkCount],
        ['Address', document.url],
        ['Hash', <Identifier key="hash" value={document.contentHash} isShort />],
        ['Changed', <Time key="changed" at={document.updatedAt} isExact />],
      ]}
    />
  );
}

interface DeleteActProps {
  corpusId: string;
  docId: string;
  remove: ReturnType<typeof useChange<void, unknown>>;
}

function DeleteAct({ corpusId, docId, remove }: DeleteActProps) {
  const [isOpen, setOpen] = useState(false);
  const [, navigate] = useLocation();
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        announce(`Deleted ${docId} of ${corpusId}.`);
        navigate('/documents');
      },
    });
  return (
    <>
      <Button look="danger" onPress={() => setOpen(true)}>
        Delete
      </Button>
      <ConfirmDialog
        title="Delete this document?"
        confirm="Delete"
        {...{
          isOpen,
          onClose: () => setOpen(false),
          onConfirm: confirm,
          isPending: remove.isPending,
        }}
      >
        <p>It is no longer found, and answers that cite it no longer hold. A legal hold refuses this.</p>
        {remove.error && <Failure failure={remove.error} />}
      </ConfirmDialog>
    </>
  );
}
