import { Link } from 'wouter';
import { useAnswer } from '../../client/queries.ts';
import { useWhyNot } from '../../client/rights.ts';
import { Badge } from '../../components/Badge.tsx';
import { counted } from '../../components/counted.ts';
import { Answer, Empty } from '../../components/states.tsx';
import { retrievePassages } from '../../generated/api/sdk.gen.ts';
import type { RetrievalMeta, RetrievalResult } from '../../generated/api/types.gen.ts';
import { documentAddress } from '../documents/document-address.ts';
import type { Lane } from './SearchScreen.tsx';
import { ScoreBars } from './ScoreBars.tsx';

export function FoundPassages({ query, lane }: { query: string; lane: Lane }) {
  const found = useAnswer(['passages', query, lane], () => retrievePassages({ body: { query, lane } }));
  return (
    <Answer query={found}>
      {({ results, meta, credit_cost }) => (
        <>
          <Meta meta={meta} cost={credit_cost} />
          {results.length === 0 ? (
            <Empty title="No passage found">
              {meta.note ?? 'Take other words, or ingest a document that has them.'}
            </Empty>
          ) : (
            <ol className="plain-list results">
              {results.map((result) => (
                <li key={`${result.corpusId} ${result.docId} ${result.chunkId}`}>
                  <Passage result={result} />
                </li>
              ))}
            </ol>
          )}
        </>
      )}
    </Answer>
  );
}

function Meta({ meta, cost }: { meta: RetrievalMeta; cost: number }) {
  const receipt = meta.retrievalReceiptId ?? meta.receiptId;
  return (
    <p className="quiet number">
      Lane {meta.lane}, {Math.ceil(meta.tookMs).toLocaleString()} ms, {meta.scanned.toLocaleString()} scanned
      {meta.truncated ? ', more match than are shown' : ''}, {counted(cost, 'credit')}
      {receipt && (
        <>
          , <Link href={`/receipts/${encodeURIComponent(receipt)}`}>receipt</Link>
        </>
      )}
    </p>
  );
}

function Passage({
  result: { chunkId, corpusId, docId, title, content, score, scoreComponents, source },
}: {
  result: RetrievalResult;
}) {
  const { vector, lexical, recency, laneWeight } = scoreComponents;
  const name = title ?? docId;
  const mayRead = useWhyNot('write') === undefined;
  return (
    <>
      {source === 'tenant' && mayRead ? (
        <Link href={documentAddress(corpusId, docId, chunkId)}>{name}</Link>
      ) : (
        <strong>{name}</strong>
      )}
      {source === 'commons' && (
        <>
          {' '}
          <Badge>commons</Badge>
        </>
      )}
      <p className="value">{content}</p>
      <ScoreBars
        parts={[
          ['score', score],
          ['vector', vector],
          ['lexical', lexical],
          ['recency', recency],
          ['lane weight', laneWeight],
        ]}
      />
    </>
  );
}
