import { useLiveEvents } from '../../client/live.ts';
import { shortOf } from '../../components/Identifier.tsx';
import { Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';

const SHOWN = 12;

const UUID = /^[\da-f]{8}-[\da-f-]{27}$/;
const nameOf = (subject: string): string => (UUID.test(subject) ? shortOf(subject) : subject);

/** What happens in the tenant while the page is open. */
export function LiveFeed() {
  const events = useLiveEvents().slice(0, SHOWN);
  if (events.length === 0)
    return <Empty title="Quiet">Events of the tenant stand here as they happen, whoever causes them.</Empty>;
  return (
    <ol className="plain-list">
      {events.map(({ id, type, subject, time, data }) => (
        <li key={`${id} ${time}`}>
          <code>{type}</code>{' '}
          <span title={subject}>{typeof data['entity'] === 'string' ? data['entity'] : nameOf(subject)}</span>{' '}
          <span className="quiet">
            <Time at={time} />
          </span>
        </li>
      ))}
    </ol>
  );
}
