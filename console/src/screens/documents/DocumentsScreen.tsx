import { useState } from 'react';
import { usePages } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { DataTable, type Column } from '../../components/DataTable.tsx';
import { useDraft } from '../../components/drafts.ts';
import { SelectField } from '../../components/fields.tsx';
import { NeedsSession } from '../../components/NeedsSession.tsx';
import { Page } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listCorpora, listDocuments } from '../../generated/api/sdk.gen.ts';
import type { Document } from '../../generated/api/types.gen.ts';
import { documentAddress } from './document-address.ts';
import { IngestForm } from './IngestForm.tsx';

const ALL = { corpus: '' };

/** Documents by corpus. */
export default function DocumentsScreen() {
  return (
    <Page title="Documents" description="Texts that retrieval finds passages in.">
      <h2 className="visually-hidden">List</h2>
      <NeedsSession what="Documents">
        <Documents />
      </NeedsSession>
    </Page>
  );
}

const COLUMNS: Column<Document>[] = [
  { name: 'Title', width: 'minmax(12rem, 2fr)', cell: ({ title }) => <span title={title}>{title}</span> },
  { name: 'Corpus', width: 'minmax(7rem, 1fr)', cell: ({ corpusId }) => <code>{corpusId}</code> },
  { name: 'Document', width: 'minmax(7rem, 1fr)', cell: ({ docId }) => <code>{docId}</code> },
  { name: 'Shared as', width: '8rem', cell: ({ shareability }) => shareability },
  { name: 'Passages', width: '6rem', isNumber: true, cell: ({ chunkCount }) => chunkCount },
  { name: 'Version', width: '5rem', isNumber: true, cell: ({ version }) => version },
  { name: 'Changed', width: '8rem', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

function Documents() {
  const [isIngesting, setIngesting] = useState(false);
  const { draft, change } = useDraft('documents corpus', ALL);
  const corpora = usePages(['documents', 'corpora'], (cursor) => listCorpora({ query: cursor ? { cursor } : {} }));
  const names = (corpora.data ?? [])
    .flatMap((page) => page.corpora)
    .map(({ corpusId, documents }) => ({
      value: corpusId,
      label: `${corpusId} (${documents})`,
    }));
  return (
    <>
      <div className="row">
        <SelectField
          label="Corpus"
          value={draft.corpus}
          choices={[{ value: '', label: 'All' }, ...names]}
          onChange={(corpus) => change({ corpus })}
        />
        <Button look="primary" onPress={() => setIngesting(true)}>
          Ingest a text
        </Button>
      </div>
      <DocumentTable corpus={draft.corpus} />
      <IngestForm isOpen={isIngesting} onClose={() => setIngesting(false)} />
    </>
  );
}

function DocumentTable({ corpus }: { corpus: string }) {
  const pages = usePages(['documents', 'list', corpus], (cursor) =>
    listDocuments({ query: { limit: 100, ...(cursor ? { cursor } : {}), ...(corpus ? { corpusId: corpus } : {}) } }),
  );
  return (
    <Answer query={pages} rows={8}>
      {(answers) => {
        const rows = answers.flatMap(({ documents }) => documents);
        return rows.length === 0 ? (
          <Empty title="No documents yet">Ingest a text, and its passages can be found.</Empty>
        ) : (
          <DataTable
            label="Documents"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ corpusId, docId }) => `${corpusId} ${docId}`}
            linkOf={({ corpusId, docId }) => documentAddress(corpusId, docId)}
            loadMore={pages.hasNextPage ? pages.fetchNextPage : undefined}
            isLoadingMore={pages.isFetchingNextPage}
          />
        );
      }}
    </Answer>
  );
}
