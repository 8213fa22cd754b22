import { Link, useParams } from 'wouter';
import { useIdentity } from '../../client/identity.ts';
import { decoded } from '../../client/parameters.ts';
import { useAnswer } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Details } from '../../components/Details.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Notice } from '../../components/Notice.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { readValidity, replayAnswer } from '../../generated/daemon/sdk.gen.ts';
import type { AnswerReplay, AnswerValidity } from '../../generated/daemon/types.gen.ts';
import { Citations } from './Citations.tsx';
import { MEANINGS, toneOf, wordsOf } from './validity.ts';
import './answers.css';

/** An answer as it was recorded, next to whether what it cites still stands. */
export default function AnswerScreen() {
  const id = decoded(useParams<{ id: string }>().id);
  const { tenant } = useIdentity();
  const request = { path: { answerId: id }, query: { tenant_id: tenant } };
  const replay = useAnswer(['answers', 'replay', tenant, id], () => replayAnswer(request));
  const validity = useAnswer(['answers', 'validity', tenant, id], () => readValidity(request));
  return (
    <Page title="Answer" description={<Identifier value={id} />}>
      <Section title="Does it still hold?">
        <Answer query={validity}>{(found) => <Validity {...found} />}</Answer>
      </Section>
      <Answer query={replay} rows={6}>
        {(recorded) => (
          <>
            <Recorded {...recorded} />
            <Citations evidence={recorded.evidence} passages={validity.data?.evidence ?? []} />
          </>
        )}
      </Answer>
    </Page>
  );
}

function Validity({ overall, drift_categories, current_answer, historical_answer, living_objects }: AnswerValidity) {
  const changed = living_objects.filter(({ state }) => state !== 'holds');
  const { as_attested, receipt_check, receipt_id } = historical_answer;
  return (
    <div className="stack">
      <Notice tone={toneOf(overall)} title={wordsOf(overall)}>
        <p>{MEANINGS[overall]}</p>
      </Notice>
      <Details
        items={[
          ['What changed', drift_categories.map(wordsOf).join(', ')],
          [
            'Record',
            <span key="record">
              <Badge tone={as_attested ? 'good' : 'bad'}>{as_attested ? 'as attested' : 'not as attested'}</Badge>{' '}
              {receipt_check} (<Link href={`/receipts/${encodeURIComponent(receipt_id)}`}>verify its receipt</Link>)
            </span>,
          ],
          ['Search repeated', current_answer.ranking],
          ['Newest version', current_answer.version.toLocaleString()],
        ]}
      />
      {changed.length > 0 && (
        <ul className="plain-list">
          {changed.map(({ corpus_id, doc_id, recorded_version, current_version, state }) => (
            <li key={`${corpus_id} ${doc_id}`}>
              <Badge tone={toneOf(state)}>{state}</Badge> {doc_id} of {corpus_id}: version {recorded_version} was cited,{' '}
              {current_version === null ? 'none is there now' : `now ${current_version}`}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Recorded({ capsule, stored_answer, rendered_answer, status }: AnswerReplay) {
  const { version, agent_id, recorded_at, receipt_id, answer_hash } = capsule;
  return (
    <Section title="As it was recorded">
      <p className="text-body">{stored_answer ?? rendered_answer}</p>
      {stored_answer === null && (
        <p className="quiet">Its text was not recorded: this is made of its citations, the same each time.</p>
      )}
      <Details
        items={[
          ['Version', `${version}${status === 'superseded' ? ', superseded by a newer one' : ''}`],
          ['Agent', agent_id],
          ['Recorded', <Time key="recorded" at={recorded_at} isExact />],
          [
            'Receipt',
            <Link key="receipt" href={`/receipts/${encodeURIComponent(receipt_id)}`}>
              {receipt_id}
            </Link>,
          ],
          ['Digest of the text', answer_hash && <Identifier value={answer_hash} isShort />],
        ]}
      />
    </Section>
  );
}
