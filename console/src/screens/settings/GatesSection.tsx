import { useReadiness } from '../../client/readiness.ts';
import { Badge } from '../../components/Badge.tsx';
import { Details } from '../../components/Details.tsx';
import { Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import type { Readiness } from '../../generated/daemon/types.gen.ts';
import { byUrgency, remedyOf, titleOf } from './gates.ts';

export function GatesSection() {
  const readiness = useReadiness();
  return (
    <Section title="Readiness">
      <Answer query={readiness} rows={9}>
        {(answer) => <Gates {...answer} />}
      </Answer>
    </Section>
  );
}

function Gates({ status, reason, checks = [], routing, commit, valve }: Readiness) {
  const failing = checks.filter(({ ok }) => !ok).length;
  return (
    <>
      <p className="row">
        <Badge tone={status === 'ready' ? 'good' : 'bad'}>{status === 'ready' ? 'Ready' : 'Not ready'}</Badge>
        <span className="number">
          {failing === 0 ? `All ${checks.length} gates hold` : `${failing} of ${checks.length} gates fail`}
        </span>
        {reason && <span>{reason}</span>}
      </p>
      <ul className="gates">
        {byUrgency(checks).map(({ gate, ok, detail, samples }) => (
          <li key={gate} className={ok ? '' : 'failing'}>
            <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'holds' : 'fails'}</Badge>
            <div>
              <strong>{titleOf(gate)}</strong> <code className="quiet">{gate}</code>
              <p>{detail}</p>
              {samples && samples.length > 0 && <p className="mono">{samples.join(', ')}</p>}
              {!ok && <p className="quiet">{remedyOf(gate)}</p>}
            </div>
          </li>
        ))}
      </ul>
      <Details
        items={[
          ['Commits', commit?.mode],
          ['Shard', routing && `${routing.local_shard} of ${routing.tenants} routed tenants (${routing.source})`],
          ['Requests in flight', valve && `at most ${valve.max_inflight.toLocaleString()}`],
          ['Rate limit', valve && `${valve.rate_limit_rps} a second, ${valve.rate_limit_burst} at once`],
        ]}
      />
    </>
  );
}
