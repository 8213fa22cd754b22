import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useAnswer } from '../../client/queries.ts';
import { Notice } from '../../components/Notice.tsx';
import { Answer } from '../../components/states.tsx';
import { readPassage } from '../../generated/api/sdk.gen.ts';
import type { DocumentWithContent, PassageRead } from '../../generated/api/types.gen.ts';
import { documentAddress } from './document-address.ts';

interface DocumentTextProps {
  document: DocumentWithContent;
  /** Empty: none is marked. */
  chunkId: string;
}

/** A document's text, with the passage marked where the server says that it stands. */
export function DocumentText({ document, chunkId }: DocumentTextProps) {
  const ask = () => readPassage({ path: { chunkId } });
  const asked = useAnswer(['documents', 'passage', chunkId], ask, { isEnabled: chunkId !== '' });
  const { data } = asked;
  // While the next passage is read, what is there is the one before it.
  const passage = data?.chunkId === chunkId ? data : undefined;
  const isHere =
    passage?.corpusId === document.corpusId && passage.docId === document.docId && passage.version === document.version;
  return (
    <>
      {chunkId !== '' && !isHere && (passage ?? asked.error) && (
        <Answer query={{ ...asked, data: passage }} rows={1}>
          {(found) => <Elsewhere passage={found} />}
        </Answer>
      )}
      <MarkedText text={document.content} place={isHere ? passage : undefined} />
    </>
  );
}

function Elsewhere({ passage: { corpusId, docId, version, newestVersion, replacedBy } }: { passage: PassageRead }) {
  return (
    <Notice tone="warn" title="The passage is not of this version">
      <p>
        It is of version {version} of <code>{docId}</code>, whose newest is {newestVersion}.{' '}
        {replacedBy ? (
          <Link href={documentAddress(corpusId, docId, replacedBy.chunkId)}>What stands in its place</Link>
        ) : (
          'Nothing stands in its place.'
        )}
      </p>
    </Notice>
  );
}

type Place = Pick<PassageRead, 'start' | 'end'>;

function MarkedText({ text, place }: { text: string; place: Place | undefined }) {
  const mark = useRef<HTMLElement>(null);
  const { start, end } = place ?? { start: 0, end: 0 };
  // In braces: what it returns, a promise in newer browsers, is no cleanup.
  useEffect(() => {
    mark.current?.scrollIntoView({ block: 'center' });
  }, [text, start, end]);
  return (
    <p className="value">
      {text.slice(0, start)}
      {place && <mark ref={mark}>{text.slice(start, end)}</mark>}
      {text.slice(end)}
    </p>
  );
}
