import { Link } from 'wouter';
import { useAnswer, usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listBlockers, listTransitions } from '../../generated/daemon/sdk.gen.ts';
import { STATES, workAddress } from './work-states.ts';

/** Items that have to end before this one is ready. */
export function Blockers({ id }: { id: string }) {
  const asked = useAnswer(['work', 'blockers', id], () => listBlockers({ path: { id } }));
  return (
    <Section title="Blocked by">
      <Answer query={asked} rows={1}>
        {({ blockers }) =>
          blockers.length === 0 ? (
            <p className="quiet">No other item blocks it.</p>
          ) : (
            <ul className="plain-list">
              {blockers.map(({ work_id, title, state, open }) => (
                <li key={work_id} className="row">
                  <Badge tone={open ? 'warn' : 'good'}>{STATES[state]}</Badge>
                  <Link href={workAddress(work_id)}>{title}</Link>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </Section>
  );
}

/** How the item moved, with the receipt of each move. */
export function Transitions({ id }: { id: string }) {
  const pages = usePages(['work', 'transitions', id], (cursor) =>
    listTransitions({ path: { id }, query: cursor === undefined ? {} : { cursor } }),
  );
  return (
    <Section title="Moves">
      <Answer query={pages}>
        {(read) => (
          <ol className="plain-list">
            {read
              .flatMap(({ transitions }) => transitions)
              .map(({ version, from, to, by_passport, why, receipt_id, at }) => (
                <li key={version}>
                  {from ? `${STATES[from]} → ` : 'Made, '}
                  {STATES[to]}{' '}
                  <span className="quiet">
                    by {by_passport}, <Time at={at} />,{' '}
                    <Link href={`/receipts/${encodeURIComponent(receipt_id)}`}>receipt</Link>
                  </span>
                  {why && <p className="text-body">{why}</p>}
                </li>
              ))}
          </ol>
        )}
      </Answer>
      {pages.hasNextPage && <Button onPress={() => void pages.fetchNextPage()}>More moves</Button>}
    </Section>
  );
}
