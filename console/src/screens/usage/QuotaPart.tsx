import { useSwitchedOff } from '../../app/config.ts';
import { useAnswer } from '../../client/queries.ts';
import { Answer, Empty } from '../../components/states.tsx';
import { SwitchedOff } from '../../components/SwitchedOff.tsx';
import { Time } from '../../components/Time.tsx';
import { readQuota } from '../../generated/daemon/sdk.gen.ts';

const FLAG = 'SVCD_QUOTA';

/** What is left now: the daemon keeps no course of it. */
export function QuotaPart() {
  const isOff = useSwitchedOff(FLAG) !== undefined;
  const quota = useAnswer(['quota'], () => readQuota(), { isEnabled: !isOff, everyMs: 15_000 });
  if (isOff) return <SwitchedOff setting={FLAG} />;
  return (
    <Answer query={quota} rows={2}>
      {({ surfaces }) =>
        surfaces.length === 0 ? (
          <Empty title="No quotas">SVCD_QUOTA_HOSTED_SURFACES names the surfaces that have one.</Empty>
        ) : (
          <ul className="plain-list">
            {surfaces.map(({ surface, remaining, limit, resets_at }) => (
              <li key={surface} className="number">
                <code>{surface}</code> <meter min={0} max={limit} value={remaining} aria-label={`Left of ${surface}`} />{' '}
                {remaining.toLocaleString()} of {limit.toLocaleString()} left, again in full <Time at={resets_at} />
              </li>
            ))}
          </ul>
        )
      }
    </Answer>
  );
}
