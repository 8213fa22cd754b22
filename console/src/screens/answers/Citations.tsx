import { Badge } from '../../components/Badge.tsx';
import { Details } from '../../components/Details.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Section } from '../../components/Page.tsx';
import { Empty } from '../../components/states.tsx';
import { Link } from 'wouter';
import type { CitedPassage, ReplayedCitation } from '../../generated/daemon/types.gen.ts';
import { toneOf, wordsOf } from './validity.ts';

/** What the answer cites, as it was then, with how it is now. */
export function Citations({
  evidence,
  passages,
}: {
  evidence: readonly ReplayedCitation[];
  passages: readonly CitedPassage[];
}) {
  return (
    <Section title={`Citations (${evidence.length})`}>
      {evidence.length === 0 && <Empty title="It cites nothing">Nothing in the store vouches for this answer.</Empty>}
      <ol className="citations">
        {evidence.map((citation) => (
          <Citation
            key={citation.ordinal}
            citation={citation}
            now={passages.find(({ ordinal }) => ordinal === citation.ordinal)}
          />
        ))}
      </ol>
    </Section>
  );
}

function Citation({ citation, now }: { citation: ReplayedCitation; now: CitedPassage | undefined }) {
  const { doc_id, corpus_id, doc_version, title, content, quote, note, chunk_id, receipt_ids } = citation;
  return (
    <li>
      <h3>{title ?? doc_id}</h3>
      <p className="row">
        {now && <Badge tone={toneOf(now.state)}>{now.state}</Badge>}
        <Badge tone={citation.hash_holds ? 'good' : 'bad'}>
          {citation.hash_holds ? 'text as hashed' : 'text altered'}
        </Badge>
        {quote !== null && (
          <Badge tone={citation.quote_holds ? 'good' : 'bad'}>
            {citation.quote_holds ? 'quote is in it' : 'quote is not in it'}
          </Badge>
        )}
        {now?.drift.map((one) => (
          <Badge key={one}>{wordsOf(one)}</Badge>
        ))}
      </p>
      {quote !== null && <blockquote>{quote}</blockquote>}
      <details>
        <summary>The passage as it was</summary>
        <p className="text-body">{content}</p>
      </details>
      <Details
        items={[
          ['Document', `${doc_id}, version ${doc_version}, of ${corpus_id}`],
          ['Passage', <Identifier key="passage" value={chunk_id} isShort />],
          ['Rank', now?.recorded_rank && `${now.recorded_rank} then, ${now.rank ?? 'not found'} now`],
          ['Note', note],
          [
            'Receipts',
            receipt_ids.length > 0 &&
              receipt_ids.map((receiptId) => (
                <Link key={receiptId} href={`/receipts/${encodeURIComponent(receiptId)}`}>
                  {receiptId}{' '}
                </Link>
              )),
          ],
        ]}
      />
    </li>
  );
}
