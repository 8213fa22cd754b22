import { useState } from 'react';
import { useAnswer, usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { DataTable, type Column } from '../../components/DataTable.tsx';
import { Section } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listDossiers, readDossier } from '../../generated/daemon/sdk.gen.ts';
import type { Dossier, DossierSummary } from '../../generated/daemon/types.gen.ts';
import { AnchorLink } from './AnchorLink.tsx';

const COLUMNS: Column<DossierSummary>[] = [
  { name: 'By', width: 'minmax(9rem, 1fr)', cell: ({ agent_passport }) => agent_passport },
  { name: 'Origin', width: '7rem', cell: ({ origin }) => <Badge>{origin}</Badge> },
  { name: 'Claims', width: '5rem', isNumber: true, cell: ({ claim_count }) => claim_count },
  { name: 'Created', width: '9rem', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** What agents claim of the project, each claim held against what it names. */
export function Dossiers({ id }: { id: string }) {
  const [opened, setOpened] = useState<string>();
  const pages = usePages(['dossiers', 'list', id], (cursor) =>
    listDossiers({ path: { id }, query: { limit: 100, ...(cursor ? { cursor } : {}) } }),
  );
  return (
    <Answer query={pages} rows={4}>
      {(answers) => {
        const rows = answers.flatMap(({ dossiers }) => dossiers);
        if (rows.length === 0)
          return (
            <Empty title="No dossiers yet">
              An agent publishes one by <code>POST /v1/projects/{id}/dossiers</code>.
            </Empty>
          );
        return (
          <div className="stack">
            <h2 className="visually-hidden">Dossiers</h2>
            <DataTable
              label="Dossiers"
              columns={COLUMNS}
              rows={rows}
              rowKey={({ dossier_id }) => dossier_id}
              onOpen={({ dossier_id }) => setOpened(dossier_id)}
              {...(opened ? { selectedKey: opened } : {})}
              loadMore={pages.hasNextPage ? pages.fetchNextPage : undefined}
              isLoadingMore={pages.isFetchingNextPage}
            />
            {opened && <Opened id={id} dossierId={opened} />}
          </div>
        );
      }}
    </Answer>
  );
}

function Opened({ id, dossierId }: { id: string; dossierId: string }) {
  const dossier = useAnswer(['dossiers', 'one', id, dossierId], () => readDossier({ path: { id, dossierId } }));
  return <Answer query={dossier}>{(found) => <Claims {...found} />}</Answer>;
}

const TONES = { supported: 'good', contradicted: 'bad', stale: 'warn', unsupported: 'warn' } as const;

function Claims({ agent_passport, claims, uncertainties, open_questions, receipt_id }: Dossier) {
  return (
    <Section title={`Claims of ${agent_passport}`} actions={<AnchorLink kind="receipt" id={receipt_id} />}>
      {claims.length === 0 && <p className="quiet">It claims nothing.</p>}
      <ul className="plain-list">
        {claims.map(({ claim_id, text, state, why, anchors, confidence }) => (
          <li key={claim_id}>
            <p className="project-text">
              <Badge tone={TONES[state]}>{state}</Badge> {text}{' '}
              {confidence !== null && <span className="quiet number">confidence {confidence.toFixed(2)}</span>}
            </p>
            {why && <p className="quiet">{why}</p>}
            <span className="row">
              {anchors.map(({ kind, id }, index) => (
                <AnchorLink key={index} kind={kind} id={id} />
              ))}
            </span>
          </li>
        ))}
      </ul>
      {uncertainties.length > 0 && <h3>Uncertain</h3>}
      {uncertainties.map(({ claim_id, reason }) => (
        <p key={claim_id}>
          <code>{claim_id}</code> {reason}
        </p>
      ))}
      {open_questions.length > 0 && <h3>Open questions</h3>}
      {open_questions.map((question) => (
        <p key={question}>{question}</p>
      ))}
    </Section>
  );
}
