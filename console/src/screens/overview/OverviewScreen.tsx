import { Link } from 'wouter';
import { useAnswer } from '../../client/queries.ts';
import { useReadiness } from '../../client/readiness.ts';
import { useDraft } from '../../components/drafts.ts';
import { Badge } from '../../components/Badge.tsx';
import { LinkButton } from '../../components/Button.tsx';
import { WithRight } from '../../components/WithRight.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { readConsoleSummary } from '../../generated/daemon/sdk.gen.ts';
import type { ConsoleSummary } from '../../generated/daemon/types.gen.ts';
import { NO_FILTER } from '../facts/fact-filter.ts';
import { FirstSteps } from './FirstSteps.tsx';
import { LiveFeed } from './LiveFeed.tsx';

const EVERY_MS = 15_000;

/** What somebody wants to know first: does it work, what waits for me, what is going on. */
export default function OverviewScreen() {
  return (
    <Page title="Overview" description="How the daemon is, what waits for a decision, and what is going on.">
      <ReadinessSection />
      <WithRight right="oversee" what="Counts and receipts" instead={<LiveSection />}>
        <Summary />
      </WithRight>
    </Page>
  );
}

function LiveSection() {
  return (
    <Section title="Live">
      <LiveFeed />
    </Section>
  );
}

function Summary() {
  const summary = useAnswer(['overview'], () => readConsoleSummary(), { everyMs: EVERY_MS });
  return (
    <Answer query={summary}>
      {(counts) => (
        <>
          <div className="columns level">
            <Census {...counts} />
            <Waiting {...counts} />
          </div>
          {counts.facts.stored === 0 && <FirstSteps />}
          <div className="columns">
            <LiveSection />
            <LastReceipts {...counts} />
          </div>
        </>
      )}
    </Answer>
  );
}

function ReadinessSection() {
  const readiness = useReadiness();
  return (
    <Section title="Readiness" actions={<Link href="/settings">All gates</Link>}>
      <Answer query={readiness} rows={1}>
        {({ status, checks = [] }) => {
          const failing = checks.filter(({ ok }) => !ok);
          return (
            <>
              <p className="row">
                <Badge tone={status === 'ready' ? 'good' : 'bad'}>{status === 'ready' ? 'Ready' : 'Not ready'}</Badge>
                <span className="number">
                  {checks.length - failing.length} of {checks.length} gates hold
                </span>
              </p>
              {failing.length > 0 && (
                <ul className="plain-list">
                  {failing.map(({ gate, detail }) => (
                    <li key={gate}>
                      <Badge tone="bad">fails</Badge> <code>{gate}</code> {detail}
                    </li>
                  ))}
                </ul>
              )}
            </>
          );
        }}
      </Answer>
    </Section>
  );
}

interface FigureProps {
  label: string;
  value: number;
  to: string;
  onFollow?: () => void;
}

function Figure({ label, value, to, onFollow }: FigureProps) {
  return (
    <div className={`figure ${value === 0 ? 'none' : ''}`}>
      <span className="quiet">{label}</span>
      <strong>
        <Link href={to} onClick={() => onFollow?.()}>
          {value.toLocaleString()}
        </Link>
      </strong>
    </div>
  );
}

function Census({ facts, open_incidents, active_holds, sync }: ConsoleSummary) {
  const { change } = useDraft('facts filter', NO_FILTER);
  const all = { ...NO_FILTER, includeSuperseded: true, includeReserved: true };
  return (
    <Section title="Stored">
      <div className="columns figures">
        <Figure label="Facts" value={facts.shown} to="/facts" onFollow={() => change(NO_FILTER)} />
        <Figure label="All versions" value={facts.versions} to="/facts" onFollow={() => change(all)} />
        <Figure label="Open incidents" value={open_incidents} to="/incidents" />
        <Figure label="Active holds" value={active_holds} to="/holds" />
        <Figure label="Sync conflicts" value={sync.conflicts} to="/peers" />
      </div>
      {facts.stored !== facts.shown && (
        <p className="quiet">
          Of all versions {(facts.shown_with_reserved - facts.shown).toLocaleString()} are current ones under reserved
          entities, and {(facts.versions - facts.shown_with_reserved).toLocaleString()} were replaced by later ones.
          {facts.stored > facts.versions &&
            ` ${(facts.stored - facts.versions).toLocaleString()} more are private to others.`}
        </p>
      )}
    </Section>
  );
}

const WAITING: [kind: keyof ConsoleSummary['waiting'], label: string][] = [
  ['candidates', 'Candidates'],
  ['gates', 'Gates'],
  ['approvals', 'Approvals'],
  ['mint_requests', 'Passports'],
  ['access_requests', 'Access requests'],
];

function Waiting({ waiting }: ConsoleSummary) {
  const total = WAITING.reduce((sum, [kind]) => sum + waiting[kind], 0);
  return (
    <Section title="Waiting for a decision" actions={total > 0 && <LinkButton to="/review">Decide</LinkButton>}>
      <div className="columns figures">
        {WAITING.map(([kind, label]) => (
          <Figure key={kind} label={label} value={waiting[kind]} to="/review" />
        ))}
      </div>
    </Section>
  );
}

function LastReceipts({ last_receipts }: ConsoleSummary) {
  return (
    <Section title="Newest receipts" actions={<Link href="/receipts">All receipts</Link>}>
      {last_receipts.length === 0 ? (
        <Empty title="No receipts yet">Each change leaves one. Store a fact, and it stands here.</Empty>
      ) : (
        <ul className="plain-list">
          {last_receipts.map(({ receipt_id, kind, principal, occurred_at }) => (
            <li key={receipt_id}>
              <Link href={`/receipts/${receipt_id}`}>{kind}</Link>{' '}
              <span className="quiet">
                by {principal}, <Time at={occurred_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
