import { useState } from 'react';
import { useLiveEvents, useLiveState, type LiveEvent } from '../../client/live.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Section } from '../../components/Page.tsx';
import { Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { aboutOf, actorOf, isFiltered, isShown, type ActivityFilter } from './activity-filter.ts';

const SHOWN = 50;

/** Events since the page was opened. Paused, it stands still, and says how many came meanwhile. */
export function LiveSection({ filter }: { filter: ActivityFilter }) {
  const live = useLiveEvents();
  const state = useLiveState();
  const [paused, setPaused] = useState<readonly LiveEvent[]>();
  const shown = (paused ?? live).filter((event) => isShown(event, filter));
  const missed = paused ? countNewer(live, paused[0]) : 0;
  return (
    <Section
      title="Live"
      actions={
        <>
          <Badge tone={paused ? 'plain' : state === 'live' ? 'good' : 'warn'}>{paused ? 'paused' : state}</Badge>
          <Button onPress={() => setPaused(paused ? undefined : live)}>
            {paused ? `Resume${missed > 0 ? `, ${missed} new` : ''}` : 'Pause'}
          </Button>
        </>
      }
    >
      {shown.length === 0 ? (
        <Empty title="Quiet">
          {isFiltered(filter) && live.length > 0
            ? 'No event since the page was opened matches.'
            : 'Events stand here as they happen, whoever causes them.'}
        </Empty>
      ) : (
        <ol className="plain-list live-list" tabIndex={0} aria-label="Events since the page was opened">
          {shown.slice(0, SHOWN).map((event) => (
            <li key={`${event.id} ${event.time}`}>
              <code>{event.type}</code> {aboutOf(event)}{' '}
              <span className="quiet">
                {actorOf(event) && `by ${actorOf(event)}, `}
                <Time at={event.time} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

/** How many came after the newest that is shown. */
function countNewer(live: readonly LiveEvent[], newest: LiveEvent | undefined): number {
  const index = newest ? live.indexOf(newest) : -1;
  return index === -1 ? live.length : index;
}
