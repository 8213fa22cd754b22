import { Link } from 'wouter';
import { useAnswer } from '../../client/queries.ts';
import { Details } from '../../components/Details.tsx';
import { Notice } from '../../components/Notice.tsx';
import { Answer } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { readFact } from '../../generated/daemon/sdk.gen.ts';
import type { Candidate } from '../../generated/daemon/types.gen.ts';

const factAddress = (id: string) => `/facts/${encodeURIComponent(id)}`;

/** What would be stored, what says so, and what it would replace. */
export function CandidateDetail({ candidate }: { candidate: Candidate }) {
  const { action, entity, key, value, confidence, extractor, profile, conflicts_with, duplicate_of } = candidate;
  return (
    <>
      <Details
        items={[
          [action === 'retire' ? 'Would retire' : 'Would store', <strong>{value}</strong>],
          ['Entity', <code>{entity}</code>],
          ['Key', <code>{key}</code>],
          ['Confidence', `${Math.round(confidence * 100)} %`],
          ['Found by', `${extractor.name} ${extractor.version}${extractor.model ? `, ${extractor.model}` : ''}`],
          ['Profile', profile],
          ['Session', candidate.session_id],
        ]}
      />
      {candidate.screened.length > 0 && (
        <Notice tone="warn" title="What looks like a secret was found">
          <p>{candidate.screened.map(({ kind }) => kind).join(', ')}</p>
        </Notice>
      )}
      {duplicate_of && (
        <Notice tone="warn" title="Already known">
          <p>
            It says what <Link href={factAddress(duplicate_of)}>this fact</Link> says.
          </p>
        </Notice>
      )}
      {conflicts_with.map((id) => (
        <ReplacedFact key={id} id={id} />
      ))}
      <Evidence evidence={candidate.evidence} />
    </>
  );
}

function ReplacedFact({ id }: { id: string }) {
  const fact = useAnswer(['facts', 'replaced', id], () => readFact({ path: { factId: id } }));
  return (
    <Notice tone="warn" title="Approving replaces a fact">
      <Answer query={fact} rows={1}>
        {({ value, actor, stored_at }) => (
          <>
            <p className="text-body">{value}</p>
            <p className="quiet">
              <Link href={factAddress(id)}>The fact</Link> by {actor}, <Time at={stored_at} />
            </p>
          </>
        )}
      </Answer>
    </Notice>
  );
}

function Evidence({ evidence }: Pick<Candidate, 'evidence'>) {
  if (evidence.length === 0) return <p className="quiet">Nothing is quoted for it.</p>;
  return (
    <ul className="plain-list" aria-label="Evidence">
      {evidence.map(({ source_kind, source_id, start, end, quote }) => (
        <li key={`${source_id} ${start}`}>
          <blockquote className="quote text-body">{quote}</blockquote>
          <span className="quiet number">
            {source_kind === 'fact' ? <Link href={factAddress(source_id)}>Fact</Link> : 'Text'} <code>{source_id}</code>
            , {start} to {end}
          </span>
        </li>
      ))}
    </ul>
  );
}
